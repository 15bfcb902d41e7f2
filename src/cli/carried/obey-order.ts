import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import process from 'node:process'
import { defined } from '../../model/defined.ts'
import { EXIT } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { systemReason } from '../../model/system-reason.ts'
import { VERSION } from '../../engine/version.ts'
import { notPerformed } from '../../engine/run.ts'
import { isAddress } from '../../policy/fetch/remote.ts'
import { createTemporaryDirectories } from '../../policy/fetch/temporary-directories.ts'
import { type ByteReader, createByteReader } from '../../remote/byte-reader.ts'
import { digestOfCode } from '../../remote/payload.ts'
import { BEAT_MS, LONGEST_ORDER, MISSED_BEATS, type Order, type Report } from '../../remote/protocol.ts'
import { markerOf } from '../../remote/start-script.ts'
import { createLocalTarget } from '../../host/live/local-target.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { commands } from '../commands/index.ts'
import { tellFailure } from '../errors.ts'
import { loadRunExtensions } from '../options/extension.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Io } from '../output/io.ts'
import { watchInterruption } from '../interruption.ts'
import { scanRequestOf } from '../scan/request.ts'
import { readBaseline, scanHere } from '../scan/scan-here.ts'
import { createTeller, type Teller } from './teller.ts'

/** Options with file paths; input files have been sent along. */
const PATHS = ['data', 'facts', 'vars', 'waivers', 'env-file', 'baseline', 'plan', 'save-plan', 'plugin'] as const

/**
 * Performs the job of another driftgate from standard input and reports on standard output. Its files are unpacked to a
 * private directory meanwhile. The exit code only says whether the last message was written.
 */
export async function obeyOrder(nonce: string, io: Io): Promise<number> {
  const reader = createByteReader(process.stdin, LONGEST_ORDER)
  await io.print(`\n${markerOf(nonce)}hello ${VERSION}\n`)
  const directories = createTemporaryDirectories()
  const teller = createTeller(io)
  try {
    const order = await readOrder(reader)
    if (order === undefined) return EXIT.notPerformed
    const luggage = await unlessFull(async () => {
      const directory = directories.create()
      teller.hide(directory)
      return (await unpack(order, { reader, luggage: directory })) ? directory : undefined
    })
    if (luggage === undefined) return EXIT.notPerformed
    const last = await carryOutOrder(locatedIn(order, luggage), { reader, teller, io })
    process.chdir('/')
    await directories.remove()
    await teller.tell(last)
    return EXIT.ok
  } finally {
    process.chdir('/')
    await directories.remove()
    process.stdin.destroy()
  }
}

/** Reports a full or unwritable directory for temporary files as an error that the operator can correct. */
async function unlessFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    const advice = 'free space there, or set TMPDIR on the target'
    const message = `cannot store the files of the scan in ${tmpdir()}: ${systemReason(error)}; ${advice}`
    throw new OperatorError(message, { cause: error })
  }
}

async function readOrder(reader: ByteReader): Promise<Order | undefined> {
  const line = await reader.line()
  return line === undefined ? undefined : (JSON.parse(line) as Order)
}

interface Unpacking {
  readonly reader: ByteReader
  readonly luggage: string
}

/** Unpacks the files below `luggage`; returns whether all of them arrived. */
async function unpack({ directory, files, code }: Order, { reader, luggage }: Unpacking): Promise<boolean> {
  mkdirSync(resolveInLuggage(luggage, directory), { recursive: true, mode: 0o700 })
  const arrived: { readonly path: string; readonly bytes: Uint8Array }[] = []
  for (const { path, size, mode } of files) {
    const bytes = await reader.bytes(size)
    if (bytes === undefined) return false
    const place = resolveInLuggage(luggage, path)
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    writeFileSync(place, bytes, { mode: 0o600, flag: 'wx' })
    chmodSync(place, mode)
    if (code !== undefined) arrived.push({ path, bytes })
  }
  if (code !== undefined && digestOfCode(code.paths, arrived) !== code.sha256) {
    throw new OperatorError('the received plugin code differs from the code that was sent')
  }
  process.chdir(resolveInLuggage(luggage, directory))
  return true
}

function resolveInLuggage(luggage: string, path: string): string {
  if (!isAbsolute(path) || normalize(path) !== path) throw new Error(`not a plain path: ${path}`)
  return join(luggage, path)
}

/** Maps the paths of a job to this machine; relative paths start from the current directory here as well. */
function locatedIn(order: Order, luggage: string): Order {
  const { texts } = order
  const named = new Set(texts.map(([name]) => name))
  const locate = (path: string): string => (isAbsolute(path) && !named.has(path) ? join(luggage, path) : path)
  const located = PATHS.flatMap((name): [string, unknown][] => {
    const value = order.options[name]
    if (typeof value === 'string') return [[name, locate(value)]]
    return Array.isArray(value)
      ? [[name, value.map((path) => (isAddress(String(path)) ? path : locate(String(path))))]]
      : []
  })
  return {
    ...order,
    operands: order.operands.map(locate),
    options: { ...order.options, ...Object.fromEntries(located) },
  }
}

/** Performs the job and returns the last message. */
async function carryOutOrder(order: Order, means: Means): Promise<Report> {
  if (order.command !== 'scan') return { exit: await runCommand(order, means) }
  const run = await performScan(order, means)
  const { 'save-plan': plan } = order.options as ScanFlags
  if (plan !== undefined) tellPlan(plan, means.teller)
  return { run }
}

/** Runs a command that only prints; a signal interrupts it as if it had been started here. */
async function runCommand(
  { command: name, operands, words, options }: Order,
  { reader, teller, io }: Means,
): Promise<number> {
  const command = commands.find((each) => each.name === name)
  if (command?.travels !== true) throw new Error(`command without support for targets: ${name}`)
  const gone = new AbortController()
  gone.signal.addEventListener('abort', () => process.kill(process.pid, String(gone.signal.reason)))
  const stopListening = listen(reader, gone)
  const print = (text: string): Promise<void> => teller.tell({ print: text })
  try {
    return await command.run({ operands: [...operands, ...words], options, said: {} }, { ...io, ...teller.io, print })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    await tellFailure(error, { ...io, ...teller.io })
    return EXIT.notPerformed
  } finally {
    stopListening()
  }
}

interface Means {
  readonly reader: ByteReader
  readonly teller: Teller
  readonly io: Io
}

/** Performs the scan; an error that the operator can correct becomes a run that was not performed. */
async function performScan(
  { operands, options: given, texts, name }: Order,
  { reader, teller, io }: Means,
): Promise<Run> {
  const options = given as ScanFlags
  const interruption = watchInterruption(io, () => undefined)
  const gone = new AbortController()
  const stopListening = listen(reader, gone)
  try {
    const request = { ...(await scanRequestOf({ operands, options }, 'scan')), ...defined({ name }) }
    const watch = { signal: AbortSignal.any([interruption.signal, gone.signal]), ...teller.watch }
    const { types, facts } = await loadRunExtensions(options, teller.io)
    const baseline = await readBaseline(options)
    const means = { watch, types, facts, baseline }
    return await scanHere({ ...request, texts: new Map(texts) }, means, { ...io, ...teller.io })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { message, problems } = error
    const all = problems.length > 0 ? problems : [{ message, severity: 'error' } as const]
    return notPerformed(createLocalTarget(), options.fix ? 'fix' : 'audit', all)
  } finally {
    stopListening()
    interruption.release()
  }
}

/** Aborts with the signal from the other side, or when that side is gone; returns a function that stops listening. */
function listen(reader: ByteReader, gone: AbortController): () => void {
  let missed = 0
  const watchdog = setInterval(() => {
    missed++
    if (missed >= MISSED_BEATS) gone.abort('SIGTERM')
  }, BEAT_MS).unref()
  const hear = async (): Promise<void> => {
    for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
      missed = 0
      if (line === 'SIGINT' || line === 'SIGTERM' || line === 'SIGHUP') gone.abort(line)
    }
    gone.abort('SIGTERM')
  }
  // A read error also means the end of the stream.
  void hear().catch(() => gone.abort('SIGTERM'))
  return () => clearInterval(watchdog)
}

/** An interrupted audit has written no plan. */
function tellPlan(path: string, teller: Teller): void {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return
  }
  void teller.tell({ plan: text })
}
