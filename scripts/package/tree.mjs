// What a package puts where, the same for the package of Debian and the archive.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { manualPages } from './man.mjs'
import { gzipped } from './tar.mjs'

/** Stands for the name of an instance while the units are made, because `%` would be taken for itself. */
const INSTANCE = 'INSTANCE'

/** The entries of a package as `tarOf` takes them. */
export function treeOf({ root, program, info, sbom, sources }) {
  const date = new Date((info.seconds ?? 0) * 1000).toISOString().slice(0, 10)
  const pages = [...manualPages(sources, { version: info.version, date })]
  const read = (path) => readFileSync(join(root, path))
  return [
    { path: 'usr/bin/driftgate', mode: 0o755, bytes: readFileSync(program) },
    ...pages.map(([name, text]) => file(`usr/share/man/man1/${name}.gz`, gzipped(Buffer.from(text)))),
    file('usr/share/bash-completion/completions/driftgate', completion(root, 'bash')),
    file('usr/share/zsh/vendor-completions/_driftgate', completion(root, 'zsh')),
    file('usr/share/fish/vendor_completions.d/driftgate.fish', completion(root, 'fish')),
    ...units(sources),
    file('lib/systemd/system/driftgate-agent.service', agentUnitOf(sources)),
    { path: 'etc/driftgate', mode: 0o755 },
    { path: 'var/lib/driftgate', mode: 0o700 },
    file('usr/share/doc/driftgate/changelog.gz', gzipped(read('CHANGELOG.md'))),
    file('usr/share/doc/driftgate/README.md', read('README.md')),
    file('usr/share/doc/driftgate/sbom.cdx.json', sbom),
  ]
}

export function file(path, bytes) {
  return { path, mode: 0o644, bytes: Buffer.from(bytes) }
}

function completion(root, shell) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist/bin/driftgate.js'), 'completion', shell], {
    maxBuffer: 16 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`there is no completion for ${shell}`)
  return stdout
}

/** What `driftgate schedule install` would write for a policy in /etc/driftgate, as templates: `driftgate@NAME.timer`. */
function units({ systemdUnits }) {
  const command = [
    '/usr/bin/driftgate',
    'scan',
    `/etc/driftgate/${INSTANCE}.yaml`,
    '--history',
    '/var/lib/driftgate/history',
  ]
  const plan = {
    name: INSTANCE,
    scope: { kind: 'system' },
    calendars: ['daily'],
    randomizedDelayMs: 300_000,
    runTimeoutMs: 3_600_000,
    command,
    sandbox: { kind: 'read-only', writable: [], usesState: true },
    usesNetwork: false,
  }
  return systemdUnits(plan, '').map(({ path, text }) => {
    const [, ...lines] = text.split('\n') // The first says who wrote it, and would have "schedule remove" take it away.
    const name = path.replace(`driftgate-${INSTANCE}`, 'driftgate@').replace(/^\//, '')
    const template = lines.join('\n').replaceAll(`driftgate-${INSTANCE}`, 'driftgate-%i').replaceAll(INSTANCE, '%i')
    return file(`lib/systemd/system/${name}`, template)
  })
}

/** What `driftgate agent --unit` prints. It does nothing before the host has joined a fleet. */
function agentUnitOf({ agentUnit }) {
  return agentUnit({
    command: ['/usr/bin/driftgate', 'agent'],
    directory: '/etc/driftgate/agent',
    mayRepair: false,
    writable: [],
    usesState: true,
  })
}
