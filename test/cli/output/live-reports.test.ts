import { expect, test } from 'vitest'
import type { OpenReport } from '../../../src/cli/output/open-reports.ts'
import type { Io } from '../../../src/cli/output/io.ts'
import { type LiveReport, startLiveReports } from '../../../src/cli/output/live-reports.ts'
import type { ReportFormat } from '../../../src/report/format.ts'
import { findReportFormat } from '../../../src/report/index.ts'
import { resourceResult, runOf } from '../../support/run.ts'

/** Standard output whose reader takes what it was given when it is told to. */
interface Reader {
  readonly io: Pick<Io, 'print' | 'isOutputPrivate'>
  readonly got: string[]
  readonly takeAll: () => void
}

function slowReader(): Reader {
  const got: string[] = []
  const waiting: (() => void)[] = []
  return {
    got,
    takeAll: () => waiting.splice(0).forEach((take) => take()),
    io: {
      print(text) {
        got.push(text)
        return new Promise((resolve) => waiting.push(resolve))
      },
      isOutputPrivate: () => true,
    },
  }
}

async function startOnOutput(
  io: Reader['io'],
  signal: AbortSignal,
  format = findReportFormat('ndjson'),
): Promise<LiveReport> {
  if (format === undefined) throw new Error('no such format')
  const report: OpenReport = { format }
  const live = (await startLiveReports([report], io, signal)).get(report)
  if (live === undefined) throw new Error('it is not live')
  return live
}

const large = resourceResult({ message: 'x'.repeat(70_000) })

test('the scan waits for a reader of standard output who is slow, and no longer than that', async () => {
  const { io, takeAll } = slowReader()
  const live = await startOnOutput(io, new AbortController().signal)
  expect(live.start(runOf())).toBeUndefined()
  expect(live.resource('base', resourceResult())).toBeUndefined()
  const wait = live.resource('base', large)
  expect(wait).toBeInstanceOf(Promise)
  takeAll()
  await wait
  expect(live.resource('base', resourceResult())).toBeUndefined()
})

test('an interrupted scan waits for no reader', async () => {
  const controller = new AbortController()
  const live = await startOnOutput(slowReader().io, controller.signal)
  const wait = live.resource('base', large)
  controller.abort('SIGTERM')
  await wait
  await live.resource('base', large)
})

test('a format that throws costs its own report, once', async () => {
  const format: ReportFormat = {
    name: 'broken',
    summary: 'throws',
    render: () => '',
    stream: () => ({
      start: () => '',
      resource() {
        throw new TypeError('no')
      },
      end: () => 'end\n',
    }),
  }
  const { io, got } = slowReader()
  const live = await startOnOutput(io, AbortSignal.abort(), format)
  expect(live.resource('base', resourceResult())).toBeUndefined()
  expect(live.resource('base', resourceResult())).toBeUndefined()
  await expect(live.finish(runOf())).rejects.toThrow('cannot render the report broken: the format threw TypeError: no')
  expect(got).toEqual([])
})

test('formats that cannot be written while the scan runs are left alone', async () => {
  const format = findReportFormat('json')
  const reports = format === undefined ? [] : [{ format }]
  expect(await startLiveReports(reports, slowReader().io, AbortSignal.abort())).toEqual(new Map())
})
