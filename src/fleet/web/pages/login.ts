import { markup } from '../../../report/words/markup.ts'
import type { Page } from '../answer.ts'

export function loginPage(trouble?: string): Page {
  return {
    title: 'Log in',
    status: trouble === undefined ? 200 : 401,
    content: markup`<h1>Log in</h1>
<form class="login" action="/login" method="post">
${trouble !== undefined && markup`<p class="caution" role="alert">${trouble}</p>`}
<label>Token <input type="password" name="token" required="" autofocus="" autocomplete="current-password" spellcheck="false"/></label>
<button type="submit">Log in</button>
<p class="dim">Ask the operator of this view for a token (<code>driftgate fleet token</code>).</p>
</form>
`,
  }
}

/** A page with a single message. */
export function noticePage(status: number, message: string): Page {
  return { title: message, status, content: markup`<h1>${message}</h1>\n` }
}

/** Page shown during the first read of the reports. */
export function startingPage(heard: number): Page {
  return {
    title: 'Reading',
    status: 503,
    content: markup`<h1>The reports are being read</h1>
<p>${heard} so far. This page comes again by itself.</p>
`,
  }
}
