// The package of Fedora and Red Hat, made by rpmbuild of the same tree as that of Debian.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'

const ARCHITECTURES = { x64: 'x86_64', arm64: 'aarch64' }

/** Where Fedora has what Debian has elsewhere. */
const PLACES = [
  [/^lib\//, 'usr/lib/'],
  [/^usr\/share\/zsh\/vendor-completions\//, 'usr/share/zsh/site-functions/'],
]

/** Links to the program by its build id would conflict with those of another package of Node. */
const NO_LINKS = 'none'

/** Makes the package in `scratch` and gives its path; undefined where rpmbuild is not installed. */
export function rpmOf(tree, { arch, info, scratch }) {
  const machine = ARCHITECTURES[arch]
  const stage = join(scratch, 'stage')
  const files = tree.map((entry) => ({
    ...entry,
    path: PLACES.reduce((path, place) => path.replace(...place), entry.path),
  }))
  for (const { path, mode, bytes } of files) {
    const place = join(stage, path)
    mkdirSync(bytes === undefined ? place : dirname(place), { recursive: true })
    if (bytes !== undefined) writeFileSync(place, bytes)
    chmodSync(place, mode)
  }
  const spec = join(scratch, 'driftgate.spec')
  writeFileSync(spec, specOf({ files, stage, version: info.version.replaceAll('-', '~') }))
  const defines = [`_topdir ${scratch}/rpm`, '_build_name_fmt %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm']
  const args = [
    '-bb',
    '--quiet',
    '--target',
    `${machine}-linux`,
    ...defines.flatMap((define) => ['--define', define]),
    spec,
  ]
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(info.seconds ?? 0) }
  const { status, stderr, error } = spawnSync('rpmbuild', args, { encoding: 'utf8', env })
  if (error?.code === 'ENOENT') return undefined
  if (status !== 0) throw new Error(`rpmbuild ended with ${status}: ${stderr}`)
  const [name] = readdirSync(join(scratch, 'rpm/RPMS'))
  return join(scratch, 'rpm/RPMS', name)
}

function specOf({ files, stage, version }) {
  const list = files.map(({ path, mode, bytes }) => {
    const kind = bytes === undefined ? '%dir ' : ''
    return `%attr(${mode.toString(8)},root,root) ${kind}/${path}`
  })
  return `%define debug_package %{nil}
%define __os_install_post %{nil}
%define _build_id_links ${NO_LINKS}
%define _binary_payload w6.gzdio
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost
Name: driftgate
Version: ${version}
Release: 1
Summary: Audits machines against declarative policies and repairs drift
License: Apache-2.0
AutoReqProv: no
Requires: libstdc++, libgcc, glibc >= 2.28
%description
driftgate checks Linux hosts against policies, reports every difference, gates
pipelines on its exit code, and corrects drift on request.
%install
mkdir -p %{buildroot}
cp -a ${stage}/. %{buildroot}/
%files
${list.join('\n')}
%post
systemctl daemon-reload >/dev/null 2>&1 || :
%postun
systemctl daemon-reload >/dev/null 2>&1 || :
`
}
