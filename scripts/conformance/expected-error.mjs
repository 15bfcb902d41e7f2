// Cases that must fail: with any message, with one that contains a text, or with exactly that text.

/** The difference between the error a case wants and what `run` does; absent when they agree. */
export async function differenceInError(wanted, run) {
  let result
  try {
    result = await run()
  } catch (error) {
    if (!isTemplateError(error)) return `threw ${error.stack}`
    return messageMatches(error.message, wanted)
      ? undefined
      : `want error ${JSON.stringify(wanted)}, found ${error.message}`
  }
  return `want error ${JSON.stringify(wanted)}, found the result ${typeof result === 'string' ? JSON.stringify(result) : String(result)}`
}

// Only these are for users; any other error is a bug of the engine.
function isTemplateError(error) {
  return error instanceof Error && ['TemplateError', 'BudgetError'].includes(error.name)
}

function messageMatches(message, { match, text }) {
  if (match === 'any') return true
  return match === 'exact' ? message === text : message.includes(text)
}

/** The difference between two texts; absent when they are the same. */
export function differenceInText(wanted, found) {
  return wanted === found ? undefined : `want ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`
}
