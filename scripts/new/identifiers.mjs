// What code calls something by its name.

/** Words that no constant can be called. */
const RESERVED =
  /^(?:arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|properties|exports|module|require|process|global|object|string|number|boolean|symbol)$/

/** `KernelModule` of `kernel_module` and of `kernel-module`. */
export function pascalOf(name) {
  return name.replaceAll(/(?:^|[-_])([a-z0-9])/g, (_, letter) => letter.toUpperCase())
}

/** `kernelModule`; with the suffix where that is a word that no constant can be called. */
export function identifierOf(name, suffix) {
  const camel = pascalOf(name).replace(/^./, (letter) => letter.toLowerCase())
  return RESERVED.test(camel) ? `${camel}${suffix}` : camel
}
