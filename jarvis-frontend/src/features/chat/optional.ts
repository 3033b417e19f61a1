import { type ComponentType, lazy } from 'react'

type Load<P> = () => Promise<ComponentType<P>>

/** What is fetched once all is quiet, so that it is there when the link is not. */
export const early: (() => Promise<unknown>)[] = [() => import('./complete.ts'), () => import('./commands.ts')]

/** A part that is fetched on first use; `instead` stands for it where it cannot be. */
export const optional = <P extends object>(load: Load<P>, instead: ComponentType<P>) =>
  lazy<ComponentType<P>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: instead }),
    ),
  )

/** The same, fetched early. */
export function soon<P extends object>(load: Load<P>, instead: ComponentType<P>) {
  early.push(load)
  return optional(load, instead)
}
