import { Component } from 'react'

/** Keeps an error in what it holds from removing what stands around it, and shows `instead` in its place. */
export class Boundary extends Component<
  { children: React.ReactNode; instead: React.ReactNode },
  { isBroken: boolean }
> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    return this.state.isBroken ? this.props.instead : this.props.children
  }
}
