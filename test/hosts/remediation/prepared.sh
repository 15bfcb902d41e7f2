# What a Debian host has that was just installed, and a container lacks.
apt-get update -qq
echo '127.0.0.1 localhost' >/etc/hosts
printf '#!/bin/sh\n' >/usr/sbin/prelink && chmod 0755 /usr/sbin/prelink
# Its conditions keep it from running in a container.
mkdir -p /etc/systemd/system/systemd-timesyncd.service.d && printf '[Unit]\nConditionVirtualization=\nConditionCapability=\n' >/etc/systemd/system/systemd-timesyncd.service.d/container.conf
