import { padColumns, widestOf } from '../../../model/columns.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { describeTypes } from '../../reference/describe.ts'
import { facetsOf } from '../../reference/facets.ts'
import { loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'
import type { TypesInvocation } from './index.ts'

export async function runTypes({ options }: TypesInvocation, io: Io): Promise<number> {
  const described = describeTypes((await loadExtensions(options, io)).types).types
  if (options.json) {
    await io.print(`${toSafeJson(described, 2)}\n`)
    return EXIT.ok
  }
  const paint = await io.paintOutput()
  const text = described.map(({ type, summary, properties }) => {
    const width = widestOf(properties.map(({ name }) => name))
    const lines = properties.map(
      (property) => `  ${padColumns(property.name, width)}  ${facetsOf(property).join(', ')}. ${property.summary}`,
    )
    return [`${paint('strong', type)}  ${summary}`, ...lines].map((line) => `${line}\n`).join('')
  })
  await io.print(text.join('\n'))
  return EXIT.ok
}
