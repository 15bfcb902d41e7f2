import { pathsIn } from '../../../host/paths-in.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { firewalldSetting, type FirewalldFiles } from '../rules/firewalld/rules.ts'
import type { SystemProbe } from '../../../host/probe.ts'

/** Where firewalld keeps what an administrator has changed. */
export const FIREWALLD_DIRECTORY = '/etc/firewalld'
const OF_PACKAGE = '/usr/lib/firewalld'
const CONNECTIONS = ['/etc', '/run', '/usr/lib'].map((where) => `${where}/NetworkManager/system-connections`)
const SCRIPTS = '/etc/sysconfig/network-scripts'

type Probe = Pick<SystemProbe, 'readText' | 'list'>

/** The files that firewalld reads when it starts; unknown where something else decides with them. */
export function readFirewalldFiles(probe: Probe, own: string = FIREWALLD_DIRECTORY): Reading<FirewalldFiles> {
  const settings = probe.readText(`${own}/firewalld.conf`)
  if (settings.kind === 'unknown') return settings
  const direct = probe.readText(`${own}/direct.xml`)
  if (direct.kind === 'unknown') return direct
  if (/<(?:rule|chain|passthrough)\b/.test(direct.value ?? '')) {
    return unknown('not-observable', `${own}/direct.xml has rules, which driftgate does not read`)
  }
  const bound = boundElsewhere(probe, firewalldSetting(settings.value ?? '', 'DefaultZone') ?? 'public')
  if (bound.kind === 'unknown') return bound
  const zones = filesOf(probe, own, 'zones')
  if (zones.kind === 'unknown') return zones
  const policies = filesOf(probe, own, 'policies')
  if (policies.kind === 'unknown') return policies
  return known({
    settings: settings.value ?? '',
    zones: zones.value,
    policies: policies.value,
    textOf(kind, name) {
      const text = firstOf(probe, own, `${kind}/${name}.xml`)
      return text.kind === 'known' ? text.value : null
    },
  })
}

/** The file of an administrator in place of that of the package, also where it is empty. */
function firstOf(probe: Probe, own: string, name: string): Reading<string | null> {
  const text = probe.readText(`${own}/${name}`)
  return text.kind === 'known' && text.value === null ? probe.readText(`${OF_PACKAGE}/${name}`) : text
}

function filesOf(probe: Probe, own: string, kind: 'zones' | 'policies'): Reading<ReadonlyMap<string, string>> {
  const names = new Set<string>()
  for (const place of [own, OF_PACKAGE]) {
    const list = probe.list(`${place}/${kind}`)
    if (list.kind === 'unknown') return list
    for (const each of list.value ?? []) {
      if (each.endsWith('.xml')) names.add(each)
      // Files of a directory are one zone together.
      else if (!isFile(probe, `${place}/${kind}/${each}`)) {
        return unknown(
          'not-observable',
          `${place}/${kind}/${each} is not a zone or policy file: driftgate does not read it`,
        )
      }
    }
  }
  const texts = new Map<string, string>()
  for (const name of [...names].toSorted()) {
    const text = firstOf(probe, own, `${kind}/${name}`)
    if (text.kind === 'unknown') return text
    texts.set(name.slice(0, -'.xml'.length), text.value ?? '')
  }
  return known(texts)
}

function isFile(probe: Probe, path: string): boolean {
  const names = probe.list(path)
  return names.kind === 'known' && names.value === null
}

/** A connection of NetworkManager may say in which zone its interface is. */
function boundElsewhere(probe: Probe, usual: string): Reading<null> {
  const paths = pathsIn({ names: probe.list }, [...CONNECTIONS, SCRIPTS])
  if (paths.kind === 'unknown') return paths
  for (const path of paths.value) {
    const text = probe.readText(path)
    if (text.kind === 'unknown') return text
    const [, zone = usual] = /^\s*zone\s*=\s*["']?([^\s"']+)/im.exec(text.value ?? '') ?? []
    if (zone !== usual) {
      const why = `${path} assigns its interface to the zone ${zone}: assign it in the zone instead`
      return unknown('not-observable', why)
    }
  }
  return known(null)
}
