// The budget of bulk reads: a whole host of packages and services costs one read of each database, not one per resource.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PACKAGES = 1_000
const SERVICES = 200

export async function run({ driftgate, folder, isInstalled, makeFiles, median, compare }) {
  const work = `${PACKAGES} packages and ${SERVICES} services, whole command`
  if (!isInstalled('dpkg-query')) return [{ work, skipped: 'needs dpkg' }]
  const names = packageNames()
  const policy = join(folder, 'host.yaml')
  await writeFile(policy, hostPolicy(names))
  const ten = await makeFiles(10)
  const queries = join(folder, 'queries.sh')
  await writeFile(queries, names.map(({ name }) => `dpkg-query -W ${name} 2>/dev/null\n`).join('') + 'exit 0\n')
  // Where systemd does not run the state of services is an error; the policy asks for it once all the same.
  const exitCodes = [0, 3]
  const [small, host] = median(
    [ten.policy, policy].map((path) => driftgate('scan', path, '--quiet')),
    { runs: 7, exitCodes },
  )
  const [single] = median([['sh', queries]], { runs: 1 })
  return [
    compare(work, host, { against: '10 files', baseline: small, atMost: 2 }),
    compare(`${PACKAGES} calls of dpkg-query`, single, { against: work, baseline: host }),
  ]
}

/** What is installed here, made up with packages that are not. */
function packageNames() {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n'], { encoding: 'utf8' })
  const installed = stdout.split('\n').flatMap((line) => (line.endsWith(' installed') ? line.split(' ', 1) : []))
  const present = [...new Set(installed)].slice(0, PACKAGES).map((name) => ({ name, ensure: 'present' }))
  const missing = Array.from({ length: PACKAGES - present.length }, (_, index) => ({
    name: `bench-not-there-${index}`,
    ensure: 'absent',
  }))
  return [...present, ...missing]
}

/** As one writes so many: lists with what they have in common as their defaults. */
function hostPolicy(packages) {
  const named = (ensure) => packages.flatMap((each) => (each.ensure === ensure ? each.name : []))
  const services = Array.from({ length: SERVICES }, (_, index) => `bench-not-there-${index}`)
  return [
    'ccm:\n  resources:\n',
    list('package', 'present', named('present')),
    list('package', 'absent', named('absent')),
    list('service', 'stopped', services),
  ].join('')
}

function list(type, ensure, names) {
  if (names.length === 0) return ''
  const items = [`defaults: { ensure: ${ensure} }`, ...names.map((name) => `"${name}":`)]
  return `    - ${type}:\n${items.map((item) => `        - ${item}\n`).join('')}`
}
