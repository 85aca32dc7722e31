//! Numbers by chance that are always the same.

/// A xorshift generator.
pub struct Random(u64);

impl Random {
    /// One that gives other numbers for another seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A place in a list of so many.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() >> 11) as usize % count.max(1)
    }

    /// About normally distributed: a sum of four is near enough, and fast.
    pub fn normal(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xffff).sum();
        (sum as f32 / 65_536.0 - 2.0) * 1.732
    }

    /// A direction among all that there are.
    pub fn unit_vector(&mut self, dims: usize) -> Vec<f32> {
        unit((0..dims).map(|_| self.normal()).collect())
    }
}

/// The vector with length one.
pub fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}
