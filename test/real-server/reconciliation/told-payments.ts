/** A workflow in the place of `payment` that ends at once in the state that it is given: thousands of them cost little. */
export async function payment(state: object): Promise<object> {
  return state;
}
