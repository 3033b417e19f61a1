import {
  type CallToolResult,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
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

/** A server whose `tools/call` may return a task's handle. The SDK would refuse a handle, because it validates results. */
export class TaskServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
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
