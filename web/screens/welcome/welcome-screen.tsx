import { Link } from "react-router";

export function WelcomeScreen() {
  return (
    <p className="p-4 sm:p-6">
      Go to{" "}
      <Link to="/designer" className="font-medium text-accent-text underline underline-offset-3">
        /designer
      </Link>{" "}
      to enter the IDE.
    </p>
  );
}
