import type { PveMethod } from 'homelab-ports/ports'
import type { Model } from './model.ts'
import { forbidden, misfit, Refusal } from './refusal.ts'

export type Parts = Record<string, string>
/** The values of parameters. The items of a list are joined by zero bytes. */
export type Values = Record<string, string>

/** A needed right: at least one of `anyOf` at `path`. */
export type Need = { path: string; anyOf: readonly string[] }
export const need = (path: string, ...anyOf: string[]): Need => ({ path, anyOf })

/** The model, and the rights of the caller that a request comes from. */
export type View = Model & {
  /** Returns true if the caller has a right. */
  may(need: Need): boolean
}

/** A route of Proxmox's API. */
export type Route = {
  method: 'GET' | PveMethod
  /** Matches the path after `/api2/json`, with a named group for each variable part. */
  pattern: RegExp
  /** The allowed parameters with the patterns of their values. `net[n]` means `net0`, `net1`, … */
  allowed: Readonly<Record<string, RegExp>>
  required?: readonly string[]
  /** The rights that a caller needs, all of them. They are checked before `run`. */
  needs(parts: Parts, values: Values, model: Model): readonly Need[]
  /** Carries out the request. Lists leave out what the caller may not see. @returns the answer's `data`. @throws Refusal */
  run(view: View, parts: Parts, values: Values): unknown
}

/** An answer with further fields beside `data`. */
export class Whole {
  readonly answer: { data: unknown } & Record<string, unknown>
  constructor(answer: Whole['answer']) {
    this.answer = answer
  }
}

/** Patterns of common parameter values. */
export const flag = /^[01]$/
export const whole = /^\d{1,15}$/
export const anything = /^[^\0]*$/su
export const listOfAnything = /^.*$/su
export const vmidShape = /^[1-9]\d{2,8}$/
export const wordShape = /^[A-Za-z][A-Za-z0-9._-]*$/

/** Pattern for a path of a guest, with the groups `node`, `type` and `vmid`. @param rest must end with `$` */
export const onGuest = (rest: string, type = 'qemu|lxc') =>
  new RegExp(`^/nodes/(?<node>[^/]+)/(?<type>${type})/(?<vmid>\\d+)${rest}`)

export type Request = { method: string; path: string; values: Values }

/**
 * Answers a request like Proxmox does.
 * @returns undefined if no route has this method and path
 * @throws Refusal
 */
export function answer(
  routes: readonly Route[],
  view: View,
  { method, path, values }: Request,
): { data: unknown } | undefined {
  for (const route of routes) {
    const match = route.method === method ? route.pattern.exec(path) : null
    if (match === null) continue
    mustFit(route, values, path)
    const parts = { ...match.groups }
    for (const one of route.needs(parts, values, view)) {
      if (!view.may(one)) throw forbidden(`${one.path}, ${one.anyOf.join('|')}`)
    }
    const said = route.run(view, parts, values)
    return said instanceof Whole ? said.answer : { data: said ?? null }
  }
  return undefined
}

function mustFit({ allowed, required = [] }: Route, values: Values, path: string) {
  const errors: Record<string, string> = {}
  for (const [key, value] of Object.entries(values)) {
    const shape = allowed[key] ?? allowed[key.replace(/(?<!\d)\d+$/, '[n]')]
    if (shape === undefined || key.endsWith('[n]')) {
      errors[key] = 'property is not defined in schema and the schema does not allow additional properties'
    } else if (key === 'memory' && path.includes('/qemu/') && !shape.test(value)) {
      // A VM's memory is a property list, so the error names `memory.current`.
      errors['memory.current'] = `type check ('integer') failed - got '${value}'`
    } else if (!shape.test(value)) errors[key] = `value '${value}' does not look like a valid value`
  }
  for (const key of required) {
    if (values[key] === undefined) errors[key] = 'property is missing and it is not optional'
  }
  if (Object.keys(errors).length > 0) throw misfit(errors)
}

export const notImplemented = ({ method, path }: Request) =>
  new Refusal(501, `Method '${method} ${path}' not implemented`)
