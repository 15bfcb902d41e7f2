import { clip } from '../../words/clip.ts'
import { namesOf } from '../../words/host-names.ts'
import { shortCode, shortProse } from '../../words/markdown.ts'
import { type MarkdownSection, tableHead } from '../../words/markdown-sections.ts'
import {
  describeHost,
  findingsOfRow,
  hostAt,
  type Matrix,
  type MatrixCell,
  type MatrixRow,
  signLegend,
  SIGNS,
} from '../../words/matrix.ts'

const TEXT_CHARACTERS = 300

/** Maximum number of findings per requirement, most frequent first. */
const FINDINGS_SHOWN = 4

/**
 * Several hosts side by side: numbered hosts, failing requirements by host, worst first, and their findings.
 * Differences from the majority are bold.
 */
export function hostSections(matrix: Matrix): readonly MarkdownSection[] {
  const { hosts, failing } = matrix
  const numbers = hosts.map((_host, index) => ({ title: String(index + 1) }))
  const legend = signLegend(failing.flatMap(({ cells }) => cells)).replace('* differs', '**bold** differs')
  return [
    {
      name: 'Hosts',
      before: ['### Hosts', '', ...tableHead([{ title: '#' }, { title: 'Host' }, { title: 'Requirements' }])],
      rows: hosts.map((host, index) => row([String(index + 1), shortCode(host), describeHost(hostAt(matrix, index))])),
      after: [],
    },
    {
      name: 'By hosts',
      before: [
        '### By hosts',
        '',
        `${legend}.`,
        '',
        ...tableHead([{ title: 'Severity' }, { title: 'What' }, ...numbers]),
      ],
      rows: failing.map((each) => row([each.worst.severity, titleOf(each), ...each.cells.map(signOf)])),
      after: [],
    },
    {
      name: 'Found on hosts',
      before: ['### Found on hosts', '', ...tableHead([{ title: 'What' }, { title: 'Hosts' }, { title: 'Found' }])],
      rows: failing.flatMap((each) => findingRows(each, hosts)),
      after: [],
    },
  ]
}

function findingRows(each: MatrixRow, hosts: readonly string[]): readonly string[] {
  return findingsOfRow(each, hosts)
    .slice(0, FINDINGS_SHOWN)
    .map(({ hosts: own, found, differs, requirement }, index) => {
      const names = namesOf(own, hosts.length, (name) => shortCode(name))
      const texts =
        found.length === 0 ? requirement.standing : found.map((text) => shortCode(clip(text, TEXT_CHARACTERS)))
      return row([
        index === 0 ? shortCode(requirement.id) : '',
        differs ? `**${names}**` : names,
        [texts].flat().join('<br>'),
      ])
    })
}

function titleOf({ worst: { id, path = [], control } }: MatrixRow): string {
  const name = shortCode([...path, id].join(' > '))
  return control?.title === undefined ? name : `${name} ${shortProse(control.title)}`
}

function signOf(cell: MatrixCell | undefined): string {
  if (cell === undefined) return ''
  const sign = SIGNS[cell.requirement.standing]
  return cell.differs ? `**${sign}**` : sign
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
