// A policy of the rules of one profile that were translated: a control for each rule, and its resources. Rules about one thing
// share its resource as long as they do not say two values of one property, or are about different parts (`scope`) of it; then the second has a resource of its own.

/** The policy as data. */
export function policyOf({ name, title, rules }) {
  const resources = []
  const said = rules
    .filter(({ resources: wanted }) => wanted !== undefined && wanted.length > 0)
    .map((rule) => ({ ...rule, resources: new Set(rule.resources.map((resource) => placed(resources, resource))) }))
  return {
    policy: { id: name.replaceAll('/', '-'), title, controls: said.map(controlOf) },
    ccm: { resources: resources.map(written) },
  }
}

function controlOf({ id, title, severity, cis = [], resources }) {
  return {
    id,
    title,
    severity: ['low', 'medium', 'high'].includes(severity) ? severity : 'medium',
    ...(cis.length === 0 ? {} : { references: { cis } }),
    resources: [...resources].map(referenceTo),
  }
}

function placed(resources, wanted) {
  const same = resources.filter(({ type, name }) => type === wanted.type && name === wanted.name)
  const fitting = same.find(({ properties, scope }) => scope === wanted.scope && fits(properties, wanted.properties))
  if (fitting !== undefined) {
    Object.assign(fitting.properties, wanted.properties)
    return fitting
  }
  const resource = { ...wanted, properties: { ...wanted.properties } }
  if (same.length > 0) resource.alias = `${wanted.name} (${same.length + 1})`
  if (same.length === 1) same[0].alias = `${wanted.name} (1)`
  resources.push(resource)
  return resource
}

function fits(present, added) {
  return Object.entries(added).every(
    ([key, value]) => !(key in present) || JSON.stringify(present[key]) === JSON.stringify(value),
  )
}

function referenceTo({ type, name, alias }) {
  return `${type}#${alias ?? name}`
}

/** What no rule says about the thing is `otherwise`. */
function written({ type, name, properties, otherwise, alias }) {
  return { [type]: [{ [name]: { ...otherwise, ...properties, ...(alias === undefined ? {} : { alias }) } }] }
}
