/** Is there room for one panel at a time only? */
export function watchWidth(): { readonly isPhone: boolean } {
  const narrow = matchMedia('(max-width: 700px)');
  let isPhone = $state(narrow.matches);
  narrow.addEventListener('change', () => {
    isPhone = narrow.matches;
  });
  return {
    get isPhone() {
      return isPhone;
    },
  };
}
