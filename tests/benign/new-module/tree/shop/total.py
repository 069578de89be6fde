from shop.unique import once as total
