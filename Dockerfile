# The book and all that it measures with, for Docker or Podman:
#   docker build -t benchbook .
#   docker run --rm --cpuset-cpus 0,1 --memory 4g -v benchbook-runs:/benchbook/runs benchbook run hot_cold_keys --profile quick
# Limits of processors and memory are recorded with each run. Trials that bound memory or a disk themselves need
# --privileged and are left out, or refused with what is missing, without it.
FROM debian:12-slim

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
