// Go's text/template for the fuzzer, where its sources are there.
const DATA = { n: 3, s: 'text', list: [1, 'two', 3.5], map: { a: 1, b: { c: true } }, none: null }

const PIECES = `{{ }} {{- -}} {{/* */}} if else end range with define "t" template block break continue := = $ $x , . .n .s
  .list .map.b.c .none nil true false 1 -2 1.5e3 0x1F 'c' "s" \`raw\` | ( ) and or not eq ne lt gt len index slice print
  printf "%v" "%5.2f|%q|%x" println html js urlquery upper lower trim default ternary dict list get set keys toJson
  fromJson repeat split join add mul div int until regexMatch "(a+)+$" indent nindent text {{end}} {{else}}`

const SEEDS = [
  '{{ range $i, $v := .list }}{{ $i }}={{ $v }},{{ else }}none{{ end }}',
  '{{ define "t" }}[{{ .a }}]{{ end }}{{ template "t" .map }}{{ block "b" . }}{{ .n }}{{ end }}',
  '{{- with $x := .map.b }}{{ if and .c (gt $.n 1) }}{{ printf "%05d %v" $.n $x }}{{ end }}{{ end -}}',
  '{{ dict "a" 1 | toJson }} {{ .s | upper | repeat 3 | indent 2 }} {{ index .list 1 }}',
  '{{ range until 5 }}{{ if eq . 3 }}{{ break }}{{ end }}{{ add . 1 }}{{ end }}',
]

/** The engine as a list of one, or of none. */
export function goTemplateEngine({ gotemplate, govalue, fuzz, inputs }) {
  if (gotemplate === undefined) return []
  const { parseGoTemplate, renderGoTemplate } = gotemplate
  const { Budget, fromPlain, TemplateError } = govalue
  const data = fromPlain(DATA)
  const run = (input) => {
    try {
      const parsed = parseGoTemplate(input, { name: 't', budget: new Budget(fuzz.LIMITS) })
      const text = renderGoTemplate(parsed, data, { budget: new Budget(fuzz.LIMITS) })
      if (text.length > fuzz.LIMITS.outputLength) throw new Error(`the output has ${text.length} characters`)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
    }
  }
  return [{ name: 'gotemplate', grammar: { pieces: inputs.piecesOf(PIECES), seeds: SEEDS }, run }]
}
