# Head, worker and driver of heuresis in one image (docs/cluster.md, "In containers").
#   make image                              from debian:bookworm-slim, with packages from a package index
#   make wheels image                       with packages that this machine's own pip fetches, for a base with the same Python
#   make image BASE=nvidia/cuda:TAG         any Debian or Ubuntu whose python3 is 3.11 or newer (Ubuntu: 24.04)
# PIP_INDEX_URL in the environment names another index. Nothing of the builder's is kept: the last stage takes the packages,
# not the stage that fetched them.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS system
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates libgomp1 python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "BASE: its python3 is older than 3.11; take a newer release")'

FROM system AS packages
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv
WORKDIR /build
# After `make wheels` they come along and no index is asked; else the pattern matches nothing.
COPY pyproject.toml requirements.lock .venv/wheels* ./
RUN python3 -m venv /opt/heuresis/venv \
    && offline=$(ls ./*.whl >/dev/null 2>&1 && echo '--no-index --find-links .' || true) \
    && /opt/heuresis/venv/bin/pip install -q $offline --require-hashes --no-deps -r requirements.lock \
    && /opt/heuresis/venv/bin/pip uninstall -q -y $(python3 -c 'import re, tomllib; \
dev = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["dev"]; \
print(*(re.split("[^a-z0-9-]", need)[0] for need in dev if not need.startswith("setuptools")))')

FROM system
LABEL org.opencontainers.image.title="heuresis" \
      org.opencontainers.image.description="Head, worker and driver: studies and runs the way language models search for ideas" \
      org.opencontainers.image.licenses="Apache-2.0"
# Any user of the machine may be given with --user: home, work and the folder of locks are open to all.
RUN useradd --uid 7411 --home-dir /home/heuresis --no-create-home --shell /bin/sh heuresis \
    && install -d -m 1777 /home/heuresis /work /cores
COPY --from=packages /opt/heuresis/venv /opt/heuresis/venv
WORKDIR /opt/heuresis/src
COPY pyproject.toml requirements.lock README.md LICENSE NOTICE ./
COPY conf conf
COPY datasets datasets
COPY actors actors
COPY solvers solvers
COPY pipelines pipelines
RUN /opt/heuresis/venv/bin/pip install -q --no-index --no-deps --no-build-isolation -e . \
    && /opt/heuresis/venv/bin/python -m compileall -q actors solvers pipelines
ENV PATH=/opt/heuresis/venv/bin:$PATH \
    HOME=/home/heuresis \
    LANG=C.UTF-8 \
    PYTHONUNBUFFERED=1 \
    HEURESIS_CORES=/cores
WORKDIR /work
USER heuresis
ENTRYPOINT ["heuresis"]
CMD ["--help"]
