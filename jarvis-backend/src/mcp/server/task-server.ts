import {
  type CallToolResult,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

const handles = new WeakMap<object, Result>()

/** @param handle the answer to a call that has become a task. @returns what stands for it as far as `TaskServer`. */
export function asHandle(handle: Result): CallToolResult {
  const result: CallToolResult = { content: [] }
  handles.set(result, handle)
  return result
}

/** The SDK holds what `tools/call` answers against the schema of results; a task's handle is none, and goes past it. */
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
