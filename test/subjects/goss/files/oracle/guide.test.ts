import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIFFERENCES, SHOWN_ELSEWHERE } from './differences.ts'

const SECTION = /^## Where driftgate says something else\n(.*?)(?=^## |$(?![^]))/ms

function linesOfGuide(): readonly string[] {
  const guide = readFileSync('docs/guide/goss.md', 'utf8')
  const section = SECTION.exec(guide)?.[1] ?? ''
  return section
    .split(/^- /m)
    .slice(1)
    .map((item) => (item.split('\n\n')[0] ?? '').replaceAll(/\s+/g, ' '))
}

const told = [...DIFFERENCES.map(({ guide }) => guide), ...SHOWN_ELSEWHERE.map(([guide]) => guide)]

test('the guide has one line for each difference, and none that nothing shows', () => {
  const lines = linesOfGuide()
  expect(told.filter((guide) => lines.filter((line) => line.startsWith(guide)).length !== 1)).toEqual([])
  expect(lines.filter((line) => told.filter((guide) => line.startsWith(guide)).length !== 1)).toEqual([])
})

test('every test that the guide refers to exists', () => {
  const gone = SHOWN_ELSEWHERE.filter(([, file, words]) => !readFileSync(`test/${file}`, 'utf8').includes(words))
  expect(gone).toEqual([])
})
