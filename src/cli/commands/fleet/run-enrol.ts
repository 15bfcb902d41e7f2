import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readHostsCsv } from '../../../fleet/hosts-csv.ts'
import { invitationWord, readAcceptance, tokenWord, type Acceptance } from '../../../fleet/nats/enrolment.ts'
import { acceptAll, invite, inviteAll, inviteMany, type NotEnrolled } from '../../../fleet/nats/members.ts'
import { isSafeName, NAME_RULE } from '../../../fleet/nats/names.ts'
import { countOf } from '../../../model/count-of.ts'
import { parseDuration } from '../../../model/duration.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { attempt, OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { carrierOf } from '../../../remote/carriers/index.ts'
import { parseRemote } from '../../../remote/spec.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import { targetsOfInventory } from '../../options/inventory.ts'
import type { ChosenTarget } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import { type Place, throughWay } from '../../remote-job.ts'
import type { EnrolFlags, FleetHomeFlags } from './members.ts'
import { whoAmI } from './who-am-i.ts'
import { wordOf } from './word-of.ts'

const FLEET = 'fleet'
const RING = 'all'
const HOUR = '1h'
const COMMAND = 'fleet enrol'
const ONE_WAY = 'expected exactly one of NAME, --pattern, --from and --targets'

/** Invites hosts and, through ssh, lets them answer at once. Throws an `OperatorError`. */
export async function runEnrol({ operands: [name], options }: Invocation<EnrolFlags>, io: Io): Promise<number> {
  const { pattern, uses, from, targets, on, become } = options
  if ([name, pattern, from, targets].filter((each) => each !== undefined).length !== 1)
    throw usageError(ONE_WAY, COMMAND)
  if ((pattern === undefined) !== (uses === undefined))
    throw usageError('--pattern and --uses require each other', COMMAND)
  if (targets === undefined && (on.length > 0 || become !== undefined))
    throw usageError('--on and --become require --targets', COMMAND)
  if (name !== undefined) return inviteOne(name, options, io)
  if (pattern !== undefined) return printToken(pattern, Number(uses), { options, io })
  if (from !== undefined) return inviteListed(from, options, io)
  return enrolThere(targets ?? '', options, io)
}

interface EnrolmentTerms {
  readonly fleet: string
  readonly ring: string
  readonly interval: string
  readonly valid: string
  readonly validMs: number
}

function aboutOf({ fleet = FLEET, ring = RING, interval = HOUR, valid = HOUR }: EnrolFlags): EnrolmentTerms {
  return { fleet, ring, interval, valid, validMs: parseDuration(valid) ?? 0 }
}

async function inviteOne(name: string, options: EnrolFlags, io: Io): Promise<number> {
  if (!isSafeName(name)) throw usageError(`${JSON.stringify(name)} is not a valid host name: ${NAME_RULE}`, COMMAND)
  const { fleet, valid, ...about } = aboutOf(options)
  await io.print(`${invitationWord(invite(fleet, { name, ...about }))}\n`)
  io.say(
    `driftgate: run on ${name} within ${valid}: driftgate fleet join WORD; keep WORD secret: any host can join as ${name} with it\n`,
  )
  return EXIT.ok
}

interface Printing {
  readonly options: EnrolFlags
  readonly io: Io
}

async function printToken(pattern: string, uses: number, { options, io }: Printing): Promise<number> {
  const { fleet, valid, ...about } = aboutOf(options)
  await io.print(`${tokenWord(inviteMany(fleet, { pattern, uses, ...about }))}\n`)
  io.say(`driftgate: run on ${countOf(uses, 'host')} named ${pattern} within ${valid}: driftgate fleet join TOKEN
driftgate: keep TOKEN secret: any host can join under such a name with it; "fleet accept -" reads the answers, one per line\n`)
  return EXIT.ok
}

async function inviteListed(file: string, options: EnrolFlags, io: Io): Promise<number> {
  const read = readHostsCsv(file, textOf(file))
  if (!read.ok) throw new OperatorError(`${file} cannot be used`, { problems: read.problems })
  const { fleet, ...about } = aboutOf(options)
  const outcomes = inviteAll(
    fleet,
    read.value.map((host) => ({ ...about, ...host })),
  )
  const failed: NotEnrolled[] = []
  for (const outcome of outcomes)
    if ('message' in outcome) failed.push(outcome)
    else await io.print(`${outcome.name} ${invitationWord(outcome)}\n`)
  return summary('invited', outcomes.length - failed.length, { failed, io })
}

function textOf(file: string): string {
  return attempt(`cannot read ${file}`, () => readFileSync(file, 'utf8'))
}

/** Joins the hosts of an inventory remotely and accepts all that answered. */
async function enrolThere(file: string, options: EnrolFlags, io: Io): Promise<number> {
  const { fleet, ...about } = aboutOf(options)
  const { targets } = await targetsOfInventory(file, options.on)
  const unsafe = targets.filter(({ name }) => !isSafeName(name))
  if (unsafe.length > 0)
    throw new OperatorError(`${file} has targets that cannot be enrolled under their names: ${NAME_RULE}`, {
      problems: unsafe.map(({ name, position }) => ({ message: `${name}: rename it`, severity: 'error', position })),
    })
  const places = new Map(targets.map((target) => [target.name, target]))
  const invitations = inviteAll(
    fleet,
    targets.map(({ name, labels }) => ({ ...about, name, labels })),
  )
  const failed = invitations.filter((each) => 'message' in each)
  const answers = await joinThere(
    invitations.flatMap((each) => {
      const place = places.get(each.name)
      return 'message' in each || place === undefined ? [] : [{ place, word: invitationWord(each) }]
    }),
    options.become,
  )
  const joined = answers.flatMap((answer) => ('message' in answer ? [] : [answer]))
  failed.push(...answers.flatMap((answer) => ('message' in answer ? [answer] : [])))
  return acceptAnswers(fleet, joined, { failed, io })
}

/** Accepts answers of hosts. Throws an `OperatorError`. */
export async function runAccept(
  { operands: [word = ''], options }: Invocation<FleetHomeFlags>,
  io: Io,
): Promise<number> {
  const words = (await wordOf(word, io)).split(/\s+/).filter((each) => each !== '')
  const answers = words.map(readAcceptance)
  const wrong = answers.findIndex((answer) => answer === undefined)
  if (words.length === 0 || wrong !== -1) {
    const which = words.length > 1 ? `answer ${wrong + 1}` : 'this'
    throw usageError(`${which} is not an answer: "driftgate fleet join" prints one`, 'fleet accept')
  }
  const found = answers.flatMap((answer) => answer ?? [])
  return acceptAnswers(options.fleet ?? FLEET, found, { failed: [], io })
}

interface FailureReport {
  readonly failed: readonly NotEnrolled[]
  readonly io: Io
}

function acceptAnswers(fleet: string, answers: Parameters<typeof acceptAll>[1], { failed, io }: FailureReport): number {
  const outcomes = acceptAll(fleet, answers, whoAmI())
  const all = [...failed, ...outcomes.flatMap((outcome) => ('message' in outcome ? [outcome] : []))]
  const taken = outcomes.flatMap((outcome) => ('message' in outcome ? [] : [outcome]))
  const [first] = taken
  if (taken.length === 1 && first !== undefined) io.say(`driftgate: ${first.name} is in ring ${first.ring}\n`)
  if (taken.length > 0)
    io.say(
      `driftgate: next: copy ${fleet}/server/hosts.conf to it and reload it (systemctl reload driftgate-nats, or SIGHUP)\n`,
    )
  if (taken.length === 1 && all.length === 0) return EXIT.ok
  return summary('enrolled', taken.length, { failed: all, io })
}

function summary(what: string, count: number, { failed: left, io }: FailureReport): number {
  const failed = left.filter(({ isMember }) => isMember !== true)
  for (const { name, message } of failed) io.say(`driftgate: ${escapeForTerminal(`${name}: ${message}`)}\n`)
  const members = left.length - failed.length
  const counts = [
    `${countOf(count, 'host')} ${what}`,
    ...(members === 0 ? [] : [`${members} already enrolled`]),
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
  ]
  io.say(`driftgate: ${counts.join(', ')}\n`)
  return failed.length === 0 ? EXIT.ok : EXIT.notPerformed
}

/** A host to join, with its invitation. */
interface Joining {
  readonly place: Pick<ChosenTarget, 'name' | 'spec' | 'way'>
  readonly word: string
}

const AT_ONCE = 16
const PATIENCE_MS = 120_000
const LARGEST_BYTES = 64 * 1024

/** Runs "driftgate fleet join" on each host, some in parallel; returns the answer, or the reason of a failure. */
async function joinThere(
  joining: readonly Joining[],
  become: string | undefined,
): Promise<readonly (Acceptance | NotEnrolled)[]> {
  const outcomes: (Acceptance | NotEnrolled)[] = []
  const waiting = joining.entries()
  const work = async (): Promise<void> => {
    for (const [at, each] of waiting) outcomes[at] = await joinOne(each, become)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, joining.length) }, work))
  return outcomes
}

async function joinOne({ place, word }: Joining, become: string | undefined): Promise<Acceptance | NotEnrolled> {
  const { name } = place
  const spec = parseRemote(place.spec.text)
  if (spec === undefined) return { name, message: `${place.spec.text} is not an SSH target: join it by hand` }
  const about: Place = { name, data: [], way: place.way }
  const carrier = carrierOf(throughWay(spec, about))
  const prefix = become?.split(/\s+/).filter((each) => each !== '') ?? place.way.become ?? []
  const [first, ...others] = [...prefix, 'driftgate', 'fleet', 'join', '-']
  const { stdout, stderr, error } = await runWithInput(carrier.commandLine([first, ...others]), word)
  const answer = stdout
    .split(/\s+/)
    .map(readAcceptance)
    .find((each) => each !== undefined)
  if (answer?.name === name) return answer
  if (answer !== undefined) return { name, message: `the answer is for ${answer.name}` }
  const last = stderr.trim().split('\n').at(-1) ?? ''
  const said = carrier.explain(stderr) ?? (last === '' ? (error ?? 'no answer') : last)
  return { name, message: said }
}

interface ProgramOutput {
  readonly stdout: string
  readonly stderr: string
  readonly error?: string
}

/** The invitation goes to standard input: other processes can read command lines. */
function runWithInput([program, ...args]: readonly [string, ...string[]], input: string): Promise<ProgramOutput> {
  return new Promise((resolve) => {
    const options = { timeout: PATIENCE_MS, maxBuffer: LARGEST_BYTES, encoding: 'utf8' } as const
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr })
      else resolve({ stdout, stderr, error: error.killed === true ? 'no answer in time' : systemReason(error) })
    })
    // A program that exits early does not read its input; its output tells the reason.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${input}\n`)
  })
}
