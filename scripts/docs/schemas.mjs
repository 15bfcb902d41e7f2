// The reference of JSON Schemas: a page for each one, with a table of the fields of every object in it.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cell } from './table.mjs'

/** The pages by their path in the project. */
export async function schemaPages(root) {
  const files = (await readdir(join(root, 'schemas'))).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const schema = JSON.parse(await readFile(join(root, 'schemas', file), 'utf8'))
      return [`docs/reference/schemas/${file.replace('.schema.json', '.md')}`, pageOf(file, schema)]
    }),
  )
}

function pageOf(file, schema) {
  const definitions = Object.entries(schema.$defs ?? schema.definitions ?? {})
  return [
    `# ${schema.title}`,
    '',
    `${schema.description} The schema is \`schemas/${file}\` of the package.`,
    '',
    ...tableOf(schema),
    ...definitions.flatMap(([name, definition]) => {
      const table = tableOf(definition)
      return table.length === 0 ? [] : [`## ${name}`, '', cell(definition.description), '', ...table]
    }),
  ].join('\n')
}

function tableOf(schema) {
  const rows = fieldsOf(schema, '')
  return rows.length === 0 ? [] : ['| field | value | meaning |', '| --- | --- | --- |', ...rows, '']
}

/** A row for each field, those of an inner object and of the items of a list below it. */
function fieldsOf({ properties = {}, required = [] }, above) {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${above}${name}`
    const value = `${kindOf(field)}${required.includes(name) ? ', required' : ''}`
    const row = `| \`${path}\` | ${cell(value)} | ${cell(field.description)} |`
    return [row, ...fieldsOf(field, `${path}.`), ...fieldsOf(field.items ?? {}, `${path}[].`)]
  })
}

function kindOf({ type, $ref, enum: values, const: value, items, oneOf, anyOf }) {
  if ($ref !== undefined) return $ref.split('/').at(-1)
  if (value !== undefined) return `\`${value}\``
  if (values !== undefined) return values.map((each) => `\`${each}\``).join(', ')
  if (items !== undefined) return `list of ${kindOf(items)}`
  const choices = oneOf ?? anyOf
  if (choices !== undefined) return [...new Set(choices.map(kindOf))].join(' or ')
  return [type ?? 'any'].flat().join(' or ')
}
