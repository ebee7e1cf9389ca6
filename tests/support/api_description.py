"""Whether an answer is what rpc.discover says of it, and has no member that is not described."""
import jsonschema


def closed(schema):
    """The same schema, without room for what it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: {name: closed(one) for name, one in value.items()} if key == "properties" else closed(value)
             for key, value in schema.items()}
    return {**inner, "additionalProperties": inner.get("additionalProperties", False)} if "properties" in inner else inner


class Description:
    def __init__(self, document):
        components = closed({"schemas": document["components"]["schemas"]})
        self.validators = {
            method["name"]: jsonschema.Draft7Validator({**method["result"]["schema"], "components": components})
            for method in document["methods"]}

    def require(self, method, result):
        mistake = jsonschema.exceptions.best_match(self.validators[method].iter_errors(result))
        if mistake is not None:
            raise AssertionError(f"{method} does not answer as rpc.discover says: {mistake.json_path}: {mistake.message}")
