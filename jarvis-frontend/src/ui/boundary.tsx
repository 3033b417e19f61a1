import { Component } from 'react'

/** An error boundary: an error in `children` does not remove the rest of the page. Shows `instead` in place of the broken children. */
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
