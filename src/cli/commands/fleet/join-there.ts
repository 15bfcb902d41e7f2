import { execFile } from 'node:child_process'
import { systemReason } from '../../../model/system-reason.ts'
import { type Acceptance, readAcceptance } from '../../../fleet/nats/enrolment.ts'
import type { NotEnrolled } from '../../../fleet/nats/members.ts'
import { carrierOf } from '../../../remote/carriers/index.ts'
import { parseRemote } from '../../../remote/spec.ts'
import { type Place, throughWay } from '../../remote-job.ts'
import type { ChosenTarget } from '../../options/target.ts'

/** A host to join, with its invitation. */
export interface Joining {
  readonly place: Pick<ChosenTarget, 'name' | 'spec' | 'way'>
  readonly word: string
}

const AT_ONCE = 16
const PATIENCE_MS = 120_000
const LARGEST_BYTES = 64 * 1024

/** Runs "driftgate fleet join" on each host, some in parallel; returns the answer, or the reason of a failure. */
export async function joinThere(
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
