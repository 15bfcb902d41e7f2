import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import { endWithUs } from '../end-with-us.ts'
import { SYSTEM_PATH } from '../system-programs.ts'
import type { SystemProgram } from './programs.ts'

/** A helper that does not answer for this time hangs. */
const PATIENCE_MS = 30_000

/** An idle helper is ended after this time, so that a long-running process keeps none after a scan. */
const IDLE_MS = 1000

/** A process that answers each path with one line. */
export interface Helper {
  /** The answers, in the order of the paths. */
  ask(paths: readonly (string | Buffer)[]): Promise<Reading<readonly string[]>>
}

interface Question {
  readonly count: number
  readonly lines: string[]
  readonly answer: (reading: Reading<readonly string[]>) => void
}

/** Starts the helper with the first question, and again after it ended. */
export function openHelper(program: SystemProgram): Helper {
  let running: Running | undefined
  return {
    ask(paths) {
      if (paths.length === 0) return Promise.resolve(known([]))
      running ??= start(program, () => (running = undefined))
      return running.ask(paths)
    },
  }
}

interface Running {
  readonly ask: Helper['ask']
}

/** `onEnd` is called once the helper takes no more questions. */
function start({ name, command, args }: SystemProgram, onEnd: () => void): Running {
  const child = spawn(command, args, {
    cwd: '/',
    // Inherits nothing: PERL5OPT alone could make it run arbitrary code.
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const questions: Question[] = []
  let timer: NodeJS.Timeout | undefined
  const letGo = endWithUs(() => void child.kill('SIGKILL'))
  const end = (trouble: Unknown): void => {
    clearTimeout(timer)
    letGo()
    onEnd()
    for (const { answer } of questions.splice(0)) answer(trouble)
  }
  const wait = (): void => {
    clearTimeout(timer)
    if (questions.length === 0) {
      timer = setTimeout(() => {
        onEnd()
        child.stdin.end()
      }, IDLE_MS).unref()
      return
    }
    // Keeps this process alive while it waits; the child is unreferenced.
    timer = setTimeout(() => {
      child.kill('SIGKILL')
      end(unknown('timeout', `${name} timed out after ${PATIENCE_MS / 1000} seconds`))
    }, PATIENCE_MS)
  }
  letLoose(child)
  child.once('error', (error) => end(unknown('not-observable', `${name}: ${error.message}`)))
  child.once('close', (code, signal) => end(unknown('not-observable', `${name}: ended with ${code ?? signal}`)))
  // Writing to an ended program fails; its end has an event of its own.
  child.stdin.on('error', () => undefined)
  readLines(child, (line) => {
    const [question] = questions
    if (question === undefined) return
    question.lines.push(line)
    if (question.lines.length < question.count) return
    questions.shift()
    question.answer(known(question.lines))
    wait()
  })
  return {
    ask: (paths) =>
      new Promise((answer) => {
        questions.push({ count: paths.length, lines: [], answer })
        wait()
        child.stdin.write(recordsOf(paths))
      }),
  }
}

/** Each path ends with a NUL; an empty path flushes the answers. */
function recordsOf(paths: readonly (string | Buffer)[]): Buffer {
  const nul = Buffer.of(0)
  return Buffer.concat([...paths.flatMap((path) => [Buffer.from(path), nul]), nul])
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** Lets this process end although the child still waits for questions. */
function letLoose(child: Child): void {
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref()
}

function readLines({ stdout }: Child, use: (line: string) => void): void {
  let rest = ''
  stdout.setEncoding('latin1').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(use)
  })
}
