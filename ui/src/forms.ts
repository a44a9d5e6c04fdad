// What the forms of all panels have in common.

/** What a form does when it is sent, instead of asking the server for another page. */
export function sends(act: () => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}
