// The budgets of the fleet: 10,000 hosts of 300 resources are read in less than 15 s of CPU and held in less than 300 MB, a question
// is answered in less than 100 ms, and a run is visible within a second.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostName, makeFleetReports } from '../fleet-reports.mjs'

const HOSTS = 10_000
const RESOURCES = 300

/** A view counts again after a second, so a question after a longer pause has to count. */
const PAUSE_MS = 1_100
const QUESTIONS = 9

/** Clock ticks of /proc, on every Linux there is. */
const TICKS_PER_SECOND = 100

export async function run({ driftgate, folder }) {
  const reports = join(folder, 'fleet')
  makeFleetReports(reports, { hosts: HOSTS, resources: RESOURCES })
  const [program, ...args] = driftgate(
    'fleet',
    'serve',
    '--from',
    reports,
    '--interval',
    '1d',
    '--listen',
    '127.0.0.1:0',
  )
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const address = await addressOf(child)
    while (!(await fetch(`${address}healthz`)).ok) await sleep(100)
    const cpuMs = await cpuOf(child.pid)
    const memory = await peakOf(child.pid)
    const answers = await questions(address)
    const visibleMs = await visible(address, reports)
    const what = `fleet of ${HOSTS.toLocaleString('en')} hosts of ${RESOURCES} resources`
    return [
      row(`${what}, CPU to read it`, cpuMs, 'ms', 15_000),
      row(`${what}, memory`, memory / 1e6, 'MB', 300),
      ...answers.map(([path, elapsed]) => row(`${what}, ${path}`, elapsed, 'ms', 100)),
      row(`${what}, a run is visible`, visibleMs, 'ms', 1_000),
    ]
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

function row(work, measured, unit, most) {
  return { work, measured, unit, budget: { text: `${most} ${unit}`, met: measured < most } }
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
      const [address] = /http:\S+/.exec(said) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('close', () => reject(new Error(`the view ended: ${said}`)))
  })
}

async function cpuOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000
}

async function peakOf(pid) {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1_024
}

/** The median time of each question, with all that has to be counted for it. */
async function questions(address) {
  const medians = []
  for (const path of ['', 'hosts?answer=drifted&q=web', 'controls', 'audit', 'metrics']) {
    const times = []
    for (let question = 0; question < QUESTIONS; question++) {
      await sleep(PAUSE_MS)
      const start = performance.now()
      await (await fetch(`${address}${path}`)).text()
      times.push(performance.now() - start)
    }
    medians.push([`/${path}`, times.toSorted((left, right) => left - right)[Math.floor(QUESTIONS / 2)]])
  }
  return medians
}

async function visible(address, reports) {
  const before = await heard(address)
  const start = performance.now()
  makeFleetReports(reports, { hosts: 1, resources: RESOURCES, nowMs: Date.now() })
  while ((await heard(address)) === before) await sleep(20)
  return performance.now() - start
}

async function heard(address) {
  const { hosts } = await (await fetch(`${address}api/host?${new URLSearchParams({ name: hostName(0) })}`)).json()
  return hosts[0].heardAt
}
