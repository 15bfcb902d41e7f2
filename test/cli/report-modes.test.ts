import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { SECRET, HIDDEN, scene } from '../support/scenes/report-modes.ts'

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

const LIVE = ['json', 'ndjson', 'html', 'junit'] as const

function reportsOf(formats: readonly string[]): string[] {
  return formats.map((format) => `--report=${format}=out.${format}`)
}

describe('report files', () => {
  test('are for their owner alone where they can show content, and say it there', async () => {
    const cwd = scene()
    // Emptied and not replaced, because a reader may be following it: its mode changes all the same.
    writeFileSync(join(cwd, 'out.ndjson'), '')
    chmodSync(join(cwd, 'out.ndjson'), 0o644)
    const { code } = await driftgate(['scan', 'p.yaml', ...reportsOf([...LIVE, 'prometheus'])], { cwd })
    expect(code).toBe(2)
    for (const format of LIVE) {
      expect(modeOf(join(cwd, `out.${format}`)), format).toBe('600')
      expect(readFileSync(join(cwd, `out.${format}`), 'utf8'), format).toContain(SECRET)
    }
    expect(modeOf(join(cwd, 'out.prometheus'))).toBe((0o666 & ~process.umask()).toString(8))
  })

  test('have the mode that --report-mode gives them, and no diff then that others may not read', async () => {
    const cwd = scene()
    const formats = [...LIVE, 'prometheus']
    await driftgate(['scan', 'p.yaml', '--report-mode', '0664', ...reportsOf(formats)], { cwd })
    for (const format of formats) {
      expect(modeOf(join(cwd, `out.${format}`)), format).toBe('664')
      expect(readFileSync(join(cwd, `out.${format}`), 'utf8'), format).not.toContain(SECRET)
    }
    for (const format of LIVE) expect(readFileSync(join(cwd, `out.${format}`), 'utf8'), format).toContain(HIDDEN)
  })

  test('can get it from the config', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'config.yaml'), 'report-mode: 0640\n')
    await driftgate(['scan', 'p.yaml', '--config', 'config.yaml', ...reportsOf(['json'])], { cwd })
    expect(modeOf(join(cwd, 'out.json'))).toBe('640')
    expect(readFileSync(join(cwd, 'out.json'), 'utf8')).not.toContain(SECRET)
  })

  test('made of stored reports are no different', async () => {
    const cwd = scene()
    await driftgate(['scan', 'p.yaml', ...reportsOf(['json'])], { cwd })
    expect((await driftgate(['report', 'html=own.html', 'out.json'], { cwd })).code).toBe(0)
    expect(modeOf(join(cwd, 'own.html'))).toBe('600')
    expect(readFileSync(join(cwd, 'own.html'), 'utf8')).toContain(SECRET)
    expect((await driftgate(['report', 'html=all.html', 'out.json', '--report-mode=644'], { cwd })).code).toBe(0)
    expect(modeOf(join(cwd, 'all.html'))).toBe('644')
    expect(readFileSync(join(cwd, 'all.html'), 'utf8')).not.toContain(SECRET)
  })

  test.each(['0444', '7', '0755', '4600', 'rw', ''])('have no mode %s', async (mode) => {
    const outcome = await driftgate(['scan', 'p.yaml', `--report-mode=${mode}`], { cwd: scene() })
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('report-mode') })
  })
})
