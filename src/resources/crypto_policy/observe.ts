import { absent, known, type Observation, present, type Reading, unknown } from '../../core/observation.ts'
import { POLICY_ENVIRONMENT } from '../../target/command.ts'
import type { Target } from '../../target/target.ts'
import type { CryptoPolicyState, OptOut, PolicyName, StrayBackend } from './decide.ts'

/** Where the program lies that applies a policy; without it there are none. */
const PROGRAM = '/usr/bin/update-crypto-policies'
const DIRECTORY = '/etc/crypto-policies'
const BACK_ENDS = `${DIRECTORY}/back-ends`
const READY_MADE = '/usr/share/crypto-policies'
const FIPS = '/proc/sys/crypto/fips_enabled'

const PATIENCE_MS = 60_000

type Machine = Pick<Target, 'probe' | 'stat' | 'run'>

/** Looks at what is configured, at what was applied, and at who does not go by it. */
export async function observeCryptoPolicy(
  machine: Machine,
  signal: AbortSignal,
): Promise<Observation<CryptoPolicyState>> {
  const program = machine.stat(PROGRAM)
  if (program.kind === 'unknown') return program
  if (program.kind === 'absent') return absent()
  const current = readPolicy(machine, `${DIRECTORY}/state/current`)
  return present({
    config: readPolicy(machine, `${DIRECTORY}/config`),
    current,
    strays: await readStrays(machine, current, signal),
    optOuts: readOptOuts(machine),
    fips: readFips(machine),
  })
}

/** The first line that says something, with modules behind colons. @see update-crypto-policies(8) */
function readPolicy({ probe }: Machine, path: string): Reading<PolicyName> {
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value === null) return unknown('not-observable', `${path} is not there: run update-crypto-policies`)
  const [line, ...others] = text.value
    .split('\n')
    .map((each) => each.replace(/#.*/, '').trim())
    .filter((each) => each !== '')
  const [base, ...modules] = (line ?? '').split(':')
  if (base === undefined || !/^[A-Z0-9_.-]+(?::[A-Z0-9_.-]+)*$/i.test(line ?? '') || others.length > 0) {
    return unknown('invalid', `${path} names no policy`)
  }
  return known({ base: base.toUpperCase(), modules: modules.map((each) => each.toUpperCase()) })
}

/**
 * What programs read. Of a policy without modules it is what the package has made, to which files of `local.d` are appended;
 * of one with modules the program itself has to say it.
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
  if (made.value === null) return unknown('not-observable', `${READY_MADE}/${base} is not there`)
  const strays: StrayBackend[] = []
  for (const name of made.value.filter((each) => each.endsWith('.txt'))) {
    const backend = name.slice(0, -'.txt'.length)
    const why = compareBackend(machine, { backend, made: `${READY_MADE}/${base}/${name}` })
    if (why.kind === 'unknown') return why
    if (why.value !== undefined) strays.push({ path: `${BACK_ENDS}/${backend}.config`, why: why.value })
  }
  return known(strays)
}

function compareBackend(
  { probe }: Machine,
  { backend, made }: { readonly backend: string; readonly made: string },
): Reading<string | undefined> {
  const text = probe.readText(`${BACK_ENDS}/${backend}.config`)
  if (text.kind === 'unknown') return text
  if (text.value === null) return known('it is not there')
  const local = probe.list(`${DIRECTORY}/local.d`)
  if (local.kind === 'unknown') return local
  const added = (local.value ?? []).filter((each) => each.startsWith(`${backend}-`) && each.endsWith('.config'))
  const parts: string[] = []
  for (const path of [made, ...added.map((name) => `${DIRECTORY}/local.d/${name}`)]) {
    const part = probe.readText(path)
    if (part.kind === 'unknown') return part
    parts.push(part.value ?? '')
  }
  const isSame = linesOf(text.value).join('\n') === linesOf(parts.join('\n')).join('\n')
  return known(isSame ? undefined : `it is not what ${[made, ...added].join(' and ')} would make of it`)
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

/** Makes the files anew in a place of its own, and compares them. @see update-crypto-policies(8), --check */
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
  const said = outcome.output.trim()
  if (outcome.exitCode === 1 && /does not match/i.test(said)) return known([{ path: BACK_ENDS, why: said }])
  return unknown('command', `${PROGRAM} --check exited with ${outcome.exitCode}: ${said}`)
}

const SYSCONFIG = '/etc/sysconfig/sshd'
const SSHD = '/etc/ssh/sshd_config'
const SSHD_OWN = '/etc/ssh/sshd_config.d/50-redhat.conf'
const SSHD_BACKEND = `${BACK_ENDS}/opensshserver.config`

/** The server of OpenSSH is the one that is told so often: by a variable of its unit, and by the lines that include the policy. */
function readOptOuts({ probe }: Machine): CryptoPolicyState['optOuts'] {
  const found: OptOut[] = []
  const variables = probe.readText(SYSCONFIG)
  if (variables.kind === 'unknown') return variables
  const line = (variables.value ?? '').split('\n').findIndex((each) => /^\s*CRYPTO_POLICY\s*=/.test(each))
  if (line !== -1) found.push({ service: 'sshd', at: `${SYSCONFIG}:${line + 1} sets CRYPTO_POLICY` })
  const main = probe.readText(SSHD)
  if (main.kind === 'unknown') return main
  if (main.value === null) return known(found)
  const own = probe.readText(SSHD_OWN)
  if (own.kind === 'unknown') return own
  const isIncluded =
    includes(own.value ?? '') && /^\s*Include\s+.*\/etc\/ssh\/sshd_config\.d\/\*\.conf/im.test(main.value)
  if (!isIncluded && !includes(main.value)) {
    found.push({ service: 'sshd', at: `neither ${SSHD} nor ${SSHD_OWN} includes ${SSHD_BACKEND}` })
  }
  return known(found)
}

function includes(text: string): boolean {
  return text.split('\n').some((line) => /^\s*Include\s/i.test(line) && line.includes(SSHD_BACKEND))
}

function readFips({ probe }: Machine): Reading<boolean> {
  const text = probe.readText(FIPS)
  if (text.kind === 'unknown') return text
  if (text.value !== null) return known(text.value.trim() === '1')
  const proof = probe.list('/proc/sys/kernel')
  if (proof.kind === 'unknown') return proof
  return proof.value === null ? unknown('not-observable', '/proc/sys cannot be seen here') : known(false)
}
