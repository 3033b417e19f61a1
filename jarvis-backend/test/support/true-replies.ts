import { expect } from 'vitest'
import type { Route } from '../../src/http/route.ts'

/** Fails where a successful reply is not exactly what its route describes: another type, a missing field or one that is not described. */
export async function expectTrue(routes: readonly Route[], method: string, path: string, response: Response) {
  if (!response.ok || response.headers.get('content-type')?.startsWith('application/json') !== true) return
  const route = routes.find((one) => one.method === method.toLowerCase() && patternOf(one.path).test(path))
  if (route?.reply === undefined) return
  const json: unknown = await response.clone().json()
  // Objects drop the fields that they do not describe.
  expect([method, path, route.reply.safeParse(json)]).toEqual([method, path, { success: true, data: json }])
  expect(response.status).toBe(route.status)
}

const patternOf = (path: string) =>
  new RegExp(`^/api${path.replace(/:\w+/g, '[^/?]+').replace(/\*\w+/g, '[^?]+')}(?:\\?.*)?$`)
