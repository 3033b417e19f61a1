import {
  type CallToolResult,
  type Implementation,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

const handles = new WeakMap<object, Result>()

/**
 * Wraps the handle of a task in a result. @param handle the answer to a call that became a task. @returns a placeholder that `TaskServer`
 * replaces
 */
export function asHandle(handle: Result): CallToolResult {
  const result: CallToolResult = { content: [] }
  handles.set(result, handle)
  return result
}

/**
 * A server whose `tools/call` may return a task's handle. The SDK would refuse a handle, because it validates results. Each failure of a
 * handler goes through `toldOf`, because the SDK sends the message of any error to the client.
 */
export class TaskServer extends Server {
  readonly #toldOf: (error: unknown) => Error

  constructor(info: Implementation, options: ServerOptions, toldOf: (error: unknown) => Error) {
    super(info, options)
    this.#toldOf = toldOf
  }

  protected override _wrapHandler(method: string, unguarded: Handler): Handler {
    const handler: Handler = async (request, context) => {
      try {
        return await unguarded(request, context)
      } catch (error) {
        throw this.#toldOf(error)
      }
    }
    if (method !== 'tools/call') return super._wrapHandler(method, handler)
    return async (request, context) => {
      let handle: Result | undefined
      const checked = super._wrapHandler(method, async (given, itsContext) => {
        const result = await handler(given, itsContext)
        handle = handles.get(result)
        return result
      })
      const result = await checked(request, context)
      return handle ?? result
    }
  }
}
