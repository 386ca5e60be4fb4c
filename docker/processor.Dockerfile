# What processors run in: Python and the runtime. Others may be made from it; they keep its entry point and its user.
#   docker build -t miranda-processor -f docker/processor.Dockerfile runtime
ARG BASE=debian:trixie-slim
FROM ${BASE}
# What the base lacks of them; none for a base that has all. Without git and ssh, nodes cannot be pulled or pushed.
ARG PACKAGES="ca-certificates git openssh-client python3 python3-pip"
# Without set-user-id programs nobody becomes somebody else. ssh wants an account to have a name.
RUN { [ -z "${PACKAGES}" ] || { apt-get update && \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${PACKAGES} && \
      rm -rf /var/lib/apt/lists/* /var/cache/apt/* && \
      { python3 -m pip install --no-cache-dir --break-system-packages --only-binary :all: uv || \
        echo "There is no uv in this image: pip installs the packages of nodes."; }; }; } && \
    mkdir -p /work /storage /run/miranda && chown 10001:10001 /work /storage && \
    echo "miranda:x:10001:10001::/work:/usr/sbin/nologin" >> /etc/passwd && \
    find / -xdev -type f -perm /6000 -exec chmod a-s {} +
COPY __main__.py /opt/miranda/
COPY miranda /opt/miranda/miranda/
COPY miranda_agent /opt/miranda/miranda_agent/
# Compiled here: nothing can be written there later.
RUN python3 -m compileall -q /opt/miranda
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["python3", "-I", "-S", "/opt/miranda"]
