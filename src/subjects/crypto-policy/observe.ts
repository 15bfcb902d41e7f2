import { trimBlanksOfC } from '../../settings/blanks.ts'
import { absent, known, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import { POLICY_ENVIRONMENT } from '../../host/command.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { recordFiles } from '../../settings/files.ts'
import { parseEnvironmentFile } from '../../settings/service-command.ts'
import { readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { isForAll, readSshdConfig } from '../sshd/config.ts'
import type { CryptoPolicyState, OptOut, PolicyName, StrayBackend } from './decide.ts'

/** Program that applies a policy; without it there is no policy. */
const PROGRAM = '/usr/bin/update-crypto-policies'
const DIRECTORY = '/etc/crypto-policies'
const BACK_ENDS = `${DIRECTORY}/back-ends`
const READY_MADE = '/usr/share/crypto-policies'
const FIPS = '/proc/sys/crypto/fips_enabled'

const PATIENCE_MS = 60_000

type Machine = Pick<Target, 'probe' | 'run'> & HasFiles<'readHead' | 'realPath' | 'stat'>

/** Observes the configured policy, the applied policy, and services that opt out. */
export async function observeCryptoPolicy(
  machine: Machine,
  signal: AbortSignal,
): Promise<Observation<CryptoPolicyState>> {
  const program = machine.files.stat(PROGRAM)
  if (program.kind === 'unknown') return program
  if (program.kind === 'absent') return absent()
  const current = readPolicy(machine, `${DIRECTORY}/state/current`)
  return present({
    config: readConfigured(machine),
    current,
    strays: await readStrays(machine, current, signal),
    optOuts: readOptOuts(machine),
    fips: readFips(machine),
  })
}

/**
 * Policy of a file, parsed like crypto-policies' `ProfileConfig.parse_file`: the first line with content names it; modules follow
 * after colons and in the lines below.
 */
function readPolicy({ probe }: Machine, path: string): Reading<PolicyName> {
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('not-observable', `${path} does not exist: run update-crypto-policies`)
  const lines = text.value
    .split('\n')
    .map((each) => trimBlanksOfC(each.replace(/#.*/, '')))
    .filter((each) => each !== '')
  const [base = '', ...modules] = (lines[0] ?? '').split(':')
  const named = [...modules, ...lines.slice(1).flatMap((line) => line.split(':'))].filter((each) => each !== '')
  if (![base, ...named].every((each) => /^[A-Z0-9_.-]+$/i.test(each))) {
    return unknown('invalid', `${path} names no policy`)
  }
  return known({ base: base.toUpperCase(), modules: named.map((each) => each.toUpperCase()) })
}

/** Without a configuration file, the package default applies, or FIPS if the kernel is in FIPS mode. */
function readConfigured(machine: Machine): Reading<PolicyName> {
  const path = `${DIRECTORY}/config`
  const seen = machine.files.stat(path)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'present') return readPolicy(machine, path)
  const fips = readFips(machine)
  if (fips.kind === 'unknown') return fips
  return fips.value ? known({ base: 'FIPS', modules: [] }) : readPolicy(machine, `${READY_MADE}/default-config`)
}

/**
 * Checks the back-end files. Without modules they must equal the package's files with the files of `local.d` appended; with
 * modules the program itself checks them.
 */
async function readStrays(
  machine: Machine,
  current: Reading<PolicyName>,
  signal: AbortSignal,
): Promise<CryptoPolicyState['strays']> {
  if (current.kind === 'unknown') return current
  const { base, modules } = current.value
  if (modules.length > 0) return askProgram(machine, signal)
  const backends = machine.probe.list(BACK_ENDS)
  if (backends.kind === 'unknown') return backends
  const made = machine.probe.list(`${READY_MADE}/${base}`)
  if (made.kind === 'unknown') return made
  if (made.value === null) return unknown('not-observable', `${READY_MADE}/${base} does not exist`)
  const strays: StrayBackend[] = []
  for (const name of made.value.filter((each) => each.endsWith('.txt'))) {
    const backend = name.slice(0, -'.txt'.length)
    const stray = compareBackend(machine, { backend, made: `${READY_MADE}/${base}/${name}` })
    if (stray.kind === 'unknown') return stray
    if (stray.value !== undefined) strays.push(stray.value)
  }
  return known(strays)
}

function compareBackend(
  { probe }: Machine,
  { backend, made }: { readonly backend: string; readonly made: string },
): Reading<StrayBackend | undefined> {
  const path = `${BACK_ENDS}/${backend}.config`
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value === null) return known({ path, why: 'it does not exist' })
  const local = probe.list(`${DIRECTORY}/local.d`)
  if (local.kind === 'unknown') return local
  const added = (local.value ?? []).filter((each) => each.startsWith(`${backend}-`) && each.endsWith('.config'))
  const parts: string[] = []
  for (const each of [made, ...added.map((name) => `${DIRECTORY}/local.d/${name}`)]) {
    const part = probe.readText(each)
    if (part.kind === 'unknown') return part
    parts.push(part.value ?? '')
  }
  const isSame = linesOf(text.value).join('\n') === linesOf(parts.join('\n')).join('\n')
  const why = `it differs from ${[made, ...added].join(' and ')}`
  return known(isSame ? undefined : { path, why, text: text.value })
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

/**
 * Generates the files in a temporary directory and compares them: exit code 0 if equal, otherwise 1 with a message on standard
 * error. An unknown policy also exits with 1. `--is-applied` is not used: it only compares two file times.
 * @see update-crypto-policies(8), and `check` in update-crypto-policies.py of fedora-crypto-policies
 */
async function askProgram({ run }: Machine, signal: AbortSignal): Promise<CryptoPolicyState['strays']> {
  const outcome = await run({
    argv: [PROGRAM, '--check'],
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs: PATIENCE_MS,
    signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', outcome.message)
  if (outcome.kind === 'killed') return unknown('timeout', `${PROGRAM} --check: ${outcome.reason}`)
  if (outcome.exitCode === 0) return known([])
  const said = trimBlanksOfC(outcome.output)
  if (outcome.exitCode === 1 && /does not match/i.test(said)) return known([{ path: BACK_ENDS, why: said }])
  return unknown('command', `${PROGRAM} --check exited with ${outcome.exitCode}: ${said}`)
}

const SYSCONFIG = '/etc/sysconfig/sshd'
const SSHD = '/etc/ssh/sshd_config'
const SSHD_BACKEND = `${BACK_ENDS}/opensshserver.config`
/**
 * The OpenSSH server opts out with a variable of its unit, or without the lines that include the policy. Red Hat Enterprise Linux
 * 8 has the policy in an environment file of the unit, 9 includes it in 50-redhat.conf, and later releases and Fedora in
 * 40-redhat-crypto-policies.conf. @see openssh.spec and sshd.service of those releases
 */
function readOptOuts(machine: Machine): CryptoPolicyState['optOuts'] {
  const { files } = recordFiles(machine)
  const found: OptOut[] = []
  const variables = files.text(SYSCONFIG)
  if (variables.kind === 'unknown') return variables
  const set = parseEnvironmentFile(variables.value ?? '').findLast(({ name }) => name === 'CRYPTO_POLICY')
  if (set !== undefined) found.push({ service: 'sshd', at: `${SYSCONFIG}:${set.line} sets CRYPTO_POLICY` })
  const config = readSshdConfig(files, SSHD)
  if (config.kind === 'unknown') return config
  if (config.value === null) return known(found)
  const isIncluded = config.value.statements.some(({ file, blocks }) => file === SSHD_BACKEND && blocks.every(isForAll))
  const told = isIncluded ? known(true) : isToldByUnit(files)
  if (told.kind === 'unknown') return told
  if (!told.value)
    found.push({ service: 'sshd', at: `neither ${SSHD} nor a file that it includes includes ${SSHD_BACKEND}` })
  return known(found)
}

function isToldByUnit(files: ConfigFiles): Reading<boolean> {
  const unit = readUnit(files, 'sshd.service', { section: 'Service' })
  if (unit.kind === 'unknown') return unit
  const lines = unit.value ?? []
  const isRead = lines.some(({ key, value }) => key === 'EnvironmentFile' && value.replace(/^-/, '') === SSHD_BACKEND)
  const command = lines.findLast(({ key }) => key === 'ExecStart')?.value ?? ''
  return known(isRead && /\$(?:CRYPTO_POLICY\b|\{CRYPTO_POLICY\})/.test(command))
}

function readFips({ probe }: Machine): Reading<boolean> {
  const text = probe.readText(FIPS)
  if (text.kind === 'unknown') return text
  if (text.value !== null) return known(trimBlanksOfC(text.value) === '1')
  const proof = probe.list('/proc/sys/kernel')
  if (proof.kind === 'unknown') return proof
  return proof.value === null ? unknown('not-observable', '/proc/sys is not accessible') : known(false)
}
