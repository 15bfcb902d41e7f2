// The package of Debian, made without its tools, so that it can be made anywhere and is the same everywhere.
import { createHash } from 'node:crypto'
import { arOf, gzipped, tarOf } from './tar.mjs'
import { file } from './tree.mjs'

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' }
const REVISION = 1
const MAINTAINER = 'The driftgate authors <driftgate@users.noreply.github.com>'

/** The name of the package in the file system of those who offer it. */
export function debName(version, arch) {
  return `driftgate_${version}-${REVISION}_${ARCHITECTURES[arch]}.deb`
}

/** The bytes of the package with this tree in it. */
export function debOf(tree, { arch, info }) {
  const { version, seconds: known } = info
  const seconds = known ?? 0
  const entries = [
    ...tree,
    file('usr/share/doc/driftgate/copyright', COPYRIGHT),
    file('usr/share/doc/driftgate/changelog.Debian.gz', gzipped(Buffer.from(changelog(version, seconds)))),
    file('usr/share/lintian/overrides/driftgate', OVERRIDES),
  ]
  const size = entries.reduce((sum, { bytes }) => sum + Math.ceil((bytes?.length ?? 0) / 1024), 0)
  const sums = entries
    .filter(({ bytes }) => bytes !== undefined)
    .map(({ path, bytes }) => `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`)
    .toSorted((left, right) => (left.slice(34) < right.slice(34) ? -1 : 1))
  const control = [
    file('control', controlOf({ version, arch, size })),
    file('md5sums', sums.join('')),
    ...Object.entries(SCRIPTS).map(([path, text]) => ({ path, mode: 0o755, bytes: Buffer.from(text) })),
  ]
  return arOf(
    [
      { name: 'debian-binary', bytes: Buffer.from('2.0\n') },
      { name: 'control.tar.gz', bytes: gzipped(tarOf(control, seconds)) },
      { name: 'data.tar.gz', bytes: gzipped(tarOf(entries, seconds)) },
    ],
    seconds,
  )
}

function controlOf({ version, arch, size }) {
  return `Package: driftgate
Version: ${version}-${REVISION}
Architecture: ${ARCHITECTURES[arch]}
Maintainer: ${MAINTAINER}
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 6)
Section: admin
Priority: optional
Description: audits machines against declarative policies
 driftgate compares a machine with policies in the format of Choria
 Configuration Manager, reports what drifted, gates pipelines on it, and
 repairs it on request. Baselines for Linux and common services are inside.
`
}

const AGENT = 'driftgate-agent.service'

/**
 * The agent starts with the package only where the host has joined a fleet already, and goes on with the new version where it is enabled.
 * Only a purge takes away what fixes have replaced, and the history. Policies of the operator stay, and so does the key of a host.
 */
const SCRIPTS = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if [ -z "$2" ] && [ -e /etc/driftgate/agent/agent.json ]; then
    deb-systemd-helper enable ${AGENT} >/dev/null || true
  fi
  if [ -d /run/systemd/system ]; then
    systemctl --system daemon-reload >/dev/null || true
    if systemctl --quiet is-enabled ${AGENT}; then
      deb-systemd-invoke restart ${AGENT} >/dev/null || true
    fi
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop ${AGENT} >/dev/null || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -rf /var/lib/driftgate
  deb-systemd-helper purge ${AGENT} >/dev/null || true
  rm -f /etc/systemd/system/multi-user.target.wants/${AGENT}
fi
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
`,
}

/** Each with its reason, for lintian and for readers. */
const OVERRIDES = `# What fixes have replaced holds contents that only root may read.
driftgate: non-standard-dir-perm 0700 != 0755 [var/lib/driftgate/]
# It audits packages by what the database itself says, and runs no program for that.
driftgate: uses-dpkg-database-directly [usr/bin/driftgate]
# The program is Node as its project builds it, with its libraries, and driftgate as a resource inside.
driftgate: embedded-library zlib [usr/bin/driftgate]
driftgate: hardening-no-pie [usr/bin/driftgate]
# It was not requested in Debian itself.
driftgate: initial-upload-closes-no-bugs *
`

function changelog(version, seconds) {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')
  return `driftgate (${version}-${REVISION}) unstable; urgency=medium

  * Release ${version}: /usr/share/doc/driftgate/changelog.gz says what is new.

 -- ${MAINTAINER}  ${date}
`
}

const COPYRIGHT = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: driftgate
Comment: The program contains Node.js (MIT; https://github.com/nodejs/node/blob/main/LICENSE lists its parts) and the npm
 packages named under "dependencies" of package.json.

Files: *
Copyright: 2026 the driftgate authors
License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
`
