/** Tells password managers whose password the field of this form is. */
export const Username = () => (
  <input
    className="vh"
    name="username"
    autoComplete="username"
    value="operator"
    readOnly
    tabIndex={-1}
    aria-hidden="true"
  />
)
