# The book and all that it measures with, for Docker or Podman:
#   docker build -t benchbook .
#   docker run --rm --cpuset-cpus 0,1 --memory 4g -v benchbook-runs:/benchbook/runs benchbook run hot_cold_keys --profile quick
# Limits of processors and memory are recorded with each run. Trials that bound memory or a disk themselves need
# --privileged and are left out, or refused with what is missing, without it.
# By the digest of its index; it is Debian 12 as of 24 August 2026, and apt brings what was fixed since.
FROM debian:12-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171

RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl git make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /benchbook
COPY . .

# Locked packages by their hashes, then the programs that measure; one that cannot be had is left out and said.
RUN make setup && make programs && make edition

ENV PATH=/benchbook/.venv/bin:$PATH
ENTRYPOINT ["benchbook"]
CMD ["--help"]
