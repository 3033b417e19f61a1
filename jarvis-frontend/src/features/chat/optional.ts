import { type ComponentType, lazy } from 'react'

/** A part that is fetched on first use; `instead` stands for it where it cannot be. */
export const optional = <P extends object>(load: () => Promise<ComponentType<P>>, instead: ComponentType<P>) =>
  lazy<ComponentType<P>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: instead }),
    ),
  )
