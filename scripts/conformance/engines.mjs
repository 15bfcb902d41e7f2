// One entry per language: the module with its public functions and how to run one of its recorded cases.
import { ccm } from './ccm.mjs'
import { expr } from './expr.mjs'
import { gjson } from './gjson.mjs'
import { gotemplate } from './gotemplate.mjs'
import { jet } from './jet.mjs'
import { observed } from './observed.mjs'
import { scaffold } from './scaffold.mjs'

export const engines = [ccm, expr, gjson, jet, gotemplate, scaffold, observed]

/** What the cases themselves are made of. */
export const valueModel = { name: 'govalue', entry: 'scripts/conformance/value-model.ts' }
