import { type ComponentType, lazy } from 'react'

type Load<P> = () => Promise<ComponentType<P>>

/** Parts that are fetched while the page is idle, so that they work without a connection later. */
export const early: (() => Promise<unknown>)[] = [() => import('./suggestions.tsx'), () => import('./commands.ts')]

/** Makes a component whose code is loaded on first use. `instead` is drawn if loading fails. */
export const optional = <P extends object>(load: Load<P>, instead: ComponentType<P>) =>
  lazy<ComponentType<P>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: instead }),
    ),
  )

/** Makes an optional component whose code is also loaded while the page is idle. */
export function soon<P extends object>(load: Load<P>, instead: ComponentType<P>) {
  early.push(load)
  return optional(load, instead)
}
