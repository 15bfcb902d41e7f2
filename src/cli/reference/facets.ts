import type { PropertyReference } from './model.ts'

const TEMPLATES = {
  deferred: 'templates expanded after `control`',
  never: 'no templates',
} as const

/** Facets of a property besides its summary, most important first: kind, limits and default. */
export function facetsOf(property: PropertyReference): readonly string[] {
  const { kind, required, values, constraints = [], aliases, accepts, templates, sensitive, parameter } = property
  return [
    values === undefined ? kind : values.join(' | '),
    ...(required ? ['required'] : []),
    ...constraints,
    ...(accepts === undefined ? [] : [`or a map of ${accepts.join(', ')}`]),
    ...(property.default === undefined ? [] : [`default ${property.default}`]),
    ...(sensitive === true ? ['sensitive'] : []),
    ...(parameter === true ? ['never compared'] : []),
    ...(templates === undefined ? [] : [TEMPLATES[templates]]),
    ...(aliases === undefined ? [] : [`also ${aliases.join(', ')}`]),
  ]
}

/** A property followed by its parts. */
export function rowsOf({ parts = [], ...property }: PropertyReference): readonly PropertyReference[] {
  return [property, ...parts]
}

/** Platforms and dependencies of a provider, in words. */
export function conditionsOf({
  platforms,
  needs,
}: {
  readonly platforms?: readonly string[]
  readonly needs?: string
}): string {
  const words = [
    ...(platforms === undefined ? [] : [`on ${platforms.join(', ')}`]),
    ...(needs === undefined ? [] : [`needs ${needs}`]),
  ]
  return words.length === 0 ? 'on every platform' : words.join(', ')
}

/** An example as a complete policy. */
export function examplePolicy(yaml: string): readonly string[] {
  const [first = '', ...rest] = yaml.trimEnd().split('\n')
  return ['ccm:', '  resources:', `    - ${first}`, ...rest.map((line) => (line === '' ? '' : `      ${line}`))]
}
