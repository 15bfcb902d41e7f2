import { GOSS_KEYS } from '../../goss/resource.ts'

/** What policies have at their top. */
const OF_POLICIES = /^["']?(?:ccm|policy|data|hierarchy|overrides)["']?\s*:/m

/** What files of Goss are called. */
const NAME = /(?:^|[./])goss\.(?:ya?ml|json)$/i

const KEYS = [...GOSS_KEYS].join('|')

/** A key of Goss at the top of YAML, where templates may stand around it, or as the first of JSON. */
const OF_GOSS = new RegExp(`^["']?(?:${KEYS})["']?\\s*:|^\\s*\\{\\s*"(?:${KEYS})"\\s*:`, 'm')

/** Whether a file is one of Goss and no policy: by what stands at its top, or, where that could be either, its name. */
export function isGossFile(file: string, text: string): boolean {
  if (OF_POLICIES.test(text)) return false
  return OF_GOSS.test(text) || NAME.test(file)
}
