# pg_memento on the official Postgres image. The work is done by the scripts that the tests use: scripts/package builds the
# Debian package in the first stage, the second installs it.
ARG PG_MAJOR=17

FROM postgres:${PG_MAJOR}-bookworm AS build
ARG PG_MAJOR
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential ca-certificates curl git python3-pip \
      postgresql-server-dev-${PG_MAJOR} postgresql-${PG_MAJOR}-pgvector \
 && curl -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain 1.95.0
ENV PATH=/root/.cargo/bin:$PATH PG_CONFIG=/usr/lib/postgresql/${PG_MAJOR}/bin/pg_config
COPY . /src
WORKDIR /src
RUN scripts/package ${PG_MAJOR} /

FROM postgres:${PG_MAJOR}-bookworm
ARG PG_MAJOR
COPY --from=build /pg-memento-${PG_MAJOR}_*.deb /tmp/
RUN apt-get update \
 && apt-get install -y --no-install-recommends postgresql-${PG_MAJOR}-pgvector /tmp/pg-memento-${PG_MAJOR}_*.deb \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/* \
 && echo "create extension pg_memento cascade;" > /docker-entrypoint-initdb.d/10-pg_memento.sql
CMD ["postgres", "-c", "shared_preload_libraries=pg_memento"]
