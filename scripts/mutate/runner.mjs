// Runs every test once as it is, and then again with each mutant in turn that the test came across, in the same process:
// a mutant costs as much as the test alone. What it finds goes line by line to a log that the parent reads.
import { appendFileSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { TestRunner } from 'vitest'
import { SWITCH } from './instrument.mjs'

/** `candidates` are numbers of mutants; `active` is switched on all the time, imports included. */
const task = JSON.parse(readFileSync(process.env.DRIFTGATE_MUTATION, 'utf8'))
const note = (line) => appendFileSync(task.log, `${JSON.stringify(line)}\n`)

/** More than any test asks in vain; what asks this often hangs in a loop that the mutant made endless. */
const SPARE_QUESTIONS = 1_000_000

const alive = new Set(task.candidates)
const hits = new Uint8Array(task.count + 1)
let active = task.active
let questions = 0
let limit = Infinity

globalThis[SWITCH] = (id) => {
  hits[id] = 1
  if (++questions > limit) throw new Error('the mutant hangs')
  return id === active
}

note({ pid: process.pid })

/** Those of the candidates that were asked for since the last time. */
function takeHits() {
  const found = task.candidates.filter((id) => hits[id] === 1)
  hits.fill(0)
  questions = 0
  return found
}

// oxlint-disable-next-line import/no-default-export -- vitest takes a runner from there
export default class MutantRunner extends TestRunner {
  #isSpoilt = false
  /** Of the test that runs: which mutants are still to come, and how it did without any. */
  #state

  onCollectStart(file) {
    super.onCollectStart?.(file)
    note({ file: file.name })
  }

  onCollected() {
    if (task.active === 0) note({ imported: takeHits() })
  }

  onAfterRunFiles() {
    super.onAfterRunFiles()
    if (!this.#isSpoilt) note({ done: true })
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test)
    if (this.#isSpoilt) test.mode = 'skip'
    if (task.active !== 0) return
    this.#state = undefined
    // It ends when there is no mutant left.
    test.repeats = Number.MAX_SAFE_INTEGER
  }

  onBeforeTryTask(test) {
    super.onBeforeTryTask(test)
    if (task.active !== 0) return
    if (this.#state === undefined) {
      takeHits()
      this.#state = { queue: undefined, questions: 0, start: performance.now(), mustVerify: false, isRehearsed: false }
    } else if (this.#state.mustVerify) {
      active = 0
    } else {
      const next = this.#state.queue.find((id) => alive.has(id))
      if (next === undefined || this.#isSpoilt) test.context.skip('all mutants were tried')
      this.#state.queue = this.#state.queue.slice(this.#state.queue.indexOf(next) + 1)
      active = next
      limit = this.#state.questions * 10 + SPARE_QUESTIONS
    }
    note({ on: active })
    questions = 0
  }

  onAfterRetryTask(test) {
    if (test.result.pending) return
    if (task.active !== 0) {
      // One test that fails is enough.
      this.#isSpoilt ||= test.result.state === 'fail'
      return
    }
    const mutant = active
    const failed = test.result.state === 'fail'
    active = 0
    limit = Infinity
    test.result.state = 'run'
    test.result.errors = undefined
    if (this.#state.queue === undefined) this.#begin(test, failed)
    else if (mutant === 0) this.#verify(failed)
    else this.#judge(test, mutant, failed)
  }

  #begin(test, failed) {
    this.#state.questions = questions
    const ms = performance.now() - this.#state.start
    const queue = takeHits()
    note({ covered: queue })
    if (failed) note({ broken: test.fullTestName ?? test.name })
    const isSlow = ms > task.slowestMs
    if (isSlow) note({ deferred: queue })
    this.#state.queue = failed || isSlow || ms < task.fastestMs ? [] : queue
    this.#state.mustVerify = this.#state.queue.length > 0
  }

  /** A test that fails without a mutant after one that failed with it was spoilt: nothing of this process counts any more. */
  #verify(failed) {
    const { isRehearsed, queue, suspect } = this.#state
    Object.assign(this.#state, { mustVerify: false, isRehearsed: true })
    if (!failed) return
    if (!isRehearsed) {
      // It can run once only, for any mutant.
      note({ once: queue })
      this.#state.queue = []
      return
    }
    this.#isSpoilt = true
    note({ spoilt: true, killed: suspect })
  }

  #judge(test, mutant, failed) {
    if (failed && this.#state.suspect !== mutant) {
      // Once may be the machine's doing, as where a test is slow at the moment.
      Object.assign(this.#state, { suspect: mutant, mustVerify: true, queue: [mutant, ...this.#state.queue] })
    } else if (failed) {
      alive.delete(mutant)
      this.#state.mustVerify = true
      note({ killed: mutant, by: test.fullTestName ?? test.name })
    } else if (hits[mutant] === 0) note({ stale: mutant })
    hits.fill(0)
  }
}
