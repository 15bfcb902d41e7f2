// The budget of a baseline: 300 rules of every type cost less than three scans of ten files and one walk.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Something of each type in the shares in which baselines have them. What this machine lacks is looked for all the same. */
const PARAMETERS = '/proc/sys/net/ipv4'

export async function run({ driftgate, folder, makeFiles, median, compare }) {
  const work = '300 rules of 10 types, whole command'
  if (!existsSync(PARAMETERS)) return [{ work, skipped: 'needs Linux' }]
  const tree = join(folder, 'rules-tree')
  for (let index = 0; index < 2_000; index++) {
    mkdirSync(join(tree, String(index % 50), String(index)), { recursive: true })
    for (let file = 0; file < 9; file++) writeFileSync(join(tree, String(index % 50), String(index), String(file)), '')
  }
  const rules = rulesOf(tree)
  const ten = await makeFiles(10)
  const walk = policyOf(folder, 'walk', [filesRule(tree, 0)])
  const all = policyOf(folder, 'rules', rules)
  const exitCodes = [0, 2, 3]
  const commands = [ten.policy, walk, all].map((path) => driftgate('scan', path, '--quiet'))
  const [small, walked, measured] = median(commands, { runs: 7, exitCodes })
  const baseline = small + Math.max(0, walked - small) / 3
  return [
    compare(`${rules.length} rules of 10 types, whole command`, measured, {
      against: '10 files and a third of a walk',
      baseline,
      atMost: 3,
    }),
  ]
}

function rulesOf(tree) {
  const etc = readdirSync('/etc', { withFileTypes: true }).filter((entry) => entry.isFile())
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(':', 1))
    .filter(Boolean)
  const parameters = readdirSync(PARAMETERS, { withFileTypes: true }).filter((entry) => entry.isFile())
  return [
    ...some(110, (index) => {
      const path = etc[index] === undefined ? `/etc/bench-not-there-${index}` : `/etc/${etc[index].name}`
      return {
        file: [{ [path]: { ensure: 'present', if_absent: 'compliant', owner: 'root', mode: { at_most: '0644' } } }],
      }
    }),
    ...some(40, (index) => ({ sysctl: [{ [`net.ipv4.${parameters[index].name}`]: { value: { matches: '.*' } } }] })),
    ...some(15, (index) => ({ kernel_module: [{ [`bench_not_there_${index}`]: { available: false } }] })),
    ...[...LOGIN_DEFS, ...SSHD].map((name) => ({
      setting: [{ [name]: { value: { matches: '.*' }, if_absent: 'compliant' } }],
    })),
    ...some(20, (index) => ({ user: [{ [accounts[index]]: { ensure: 'present', shell: { matches: '.*' } } }] })),
    ...some(15, (index) => ({
      mount: [{ [`/bench-not-there-${index}`]: { options: { includes: ['nodev'] }, if_absent: 'compliant' } }],
    })),
    ...some(30, (index) => ({ package: [{ [`bench-not-there-${index}`]: { ensure: 'absent' } }] })),
    ...some(20, (index) => ({ service: [{ [`bench-not-there-${index}`]: { ensure: 'stopped' } }] })),
    ...some(20, (index) => filesRule(tree, index)),
  ]
}

const LOGIN_DEFS = [
  'PASS_MAX_DAYS',
  'PASS_MIN_DAYS',
  'PASS_WARN_AGE',
  'UMASK',
  'ENCRYPT_METHOD',
  'UID_MIN',
  'UID_MAX',
  'GID_MIN',
  'GID_MAX',
  'HOME_MODE',
].map((key) => `login.defs:${key}`)
const SSHD = [
  'PermitRootLogin',
  'PermitEmptyPasswords',
  'HostbasedAuthentication',
  'IgnoreRhosts',
  'MaxAuthTries',
  'MaxSessions',
  'MaxStartups',
  'LoginGraceTime',
  'ClientAliveInterval',
  'ClientAliveCountMax',
  'LogLevel',
  'UsePAM',
  'PermitUserEnvironment',
  'GSSAPIAuthentication',
  'DisableForwarding',
  'Banner',
  'X11Forwarding',
  'AllowTcpForwarding',
  'PasswordAuthentication',
  'PubkeyAuthentication',
].map((key) => `sshd:${key}`)

function filesRule(tree, index) {
  return {
    files: [{ [tree]: { alias: `rule ${index}`, mode: { at_most: '1777' }, exclude: [`${index}/${index}/*`] } }],
  }
}

function some(count, make) {
  return Array.from({ length: count }, (_, index) => make(index))
}

function policyOf(folder, name, resources) {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify({ ccm: { resources } }))
  return path
}
