/** Returns one line about a native module that does not fit the running version of Node; undefined for other errors. */
export function nativeProblem(error: unknown): string | undefined {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  const isOther = code === 'ERR_DLOPEN_FAILED' || /NODE_MODULE_VERSION|Could not locate the bindings file/.test(message)
  if (!isOther) return undefined
  const part = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(message)?.[1] ?? 'better-sqlite3'
  return `${part} was built for another Node than this one (${process.version}, ${process.execPath}). Start JARVIS with the Node of "npm ci", or run npm ci again.`
}
